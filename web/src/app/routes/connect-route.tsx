import { useNavigate, useSearch } from '@tanstack/react-router';
import { ConnectPage } from '#web/features/connect/connect-page.tsx';

export function ConnectRoute() {
  const { assistant, model } = useSearch({ from: '/signed-in/connect' });
  const navigate = useNavigate();
  return (
    <ConnectPage
      assistantId={assistant}
      model={model}
      onAssistantChange={(id) =>
        void navigate({
          to: '/connect',
          search: id === undefined ? {} : { assistant: id },
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
