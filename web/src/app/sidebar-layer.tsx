import { ModalLayer } from '#web/ui/dialogs/modal-layer.tsx';
import { Sidebar } from './sidebar.tsx';

/** The sidebar on small screens: an overlay that closes when something is chosen. */
export function SidebarLayer({ onClose, onSearch }: { onClose: () => void; onSearch: () => void }) {
  return (
    <ModalLayer onOpenChange={onClose} label="Sidebar" className="flex">
      <div data-layer-body className="h-full w-72 max-w-[85vw] animate-slide-end bg-card shadow-float">
        <Sidebar collapsed={false} onToggle={onClose} onSearch={onSearch} onNavigate={onClose} />
      </div>
    </ModalLayer>
  );
}
