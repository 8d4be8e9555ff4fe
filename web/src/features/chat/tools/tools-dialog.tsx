import { builtInTools } from '@roster/contracts/assistants/tools';
import {
  type ComposerTools,
  hostedNames,
  isOn,
  withHosted,
  withServer,
} from '#web/features/chat/shared/thread-tools.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { useDefaultTools, useServers, useToolSupport } from './use-tools.ts';

type ToolsDialogProps = { tools: ComposerTools; onClose: () => void };

/** Turns tools on or off for one conversation, from the next question on. */
export function ToolsDialog({ tools, onClose }: ToolsDialogProps) {
  const { switched, onSwitch } = tools;
  const chatTarget = useDefaultTools(tools);
  const known = useToolSupport(chatTarget?.model ?? null, chatTarget !== undefined);
  const isSwitched = Object.keys(switched).length > 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Tools in this conversation"
      description="Changes apply to this conversation, from your next message."
      footer={
        <>
          {isSwitched && (
            <Button variant="ghost" onClick={() => onSwitch(null)}>
              {chatTarget?.assistant ? 'Assistant’s settings' : 'All off'}
            </Button>
          )}
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {!chatTarget || known.isPending ? (
        <SpinnerPanel label="Loading tools" className="min-h-24" />
      ) : (
        <div className="grid gap-4">
          {builtInTools.map((name) => {
            const on = isOn(name, chatTarget.own, switched);
            const reason = known.data?.[name] ?? null;
            return (
              <Switch
                key={name}
                label={hostedNames[name]}
                description={reason ?? stateWords(switched[name], chatTarget.assistant !== null)}
                checked={on}
                // An enabled tool can always be turned off.
                disabled={reason !== null && !on}
                onChange={({ target }) => onSwitch(withHosted(name, target.checked, chatTarget.own, switched))}
              />
            );
          })}
          {known.data?.notice && <Notice>{known.data.notice}</Notice>}
          <Servers tools={tools} />
        </div>
      )}
    </Dialog>
  );
}

const stateWords = (on: boolean | undefined, hasAssistant: boolean) =>
  on === undefined ? (hasAssistant ? 'Assistant’s setting' : 'Off') : `Turned ${on ? 'on' : 'off'} here`;

/** Tool servers of the assistant. */
function Servers({ tools: { assistantId, switched, onSwitch } }: Pick<ToolsDialogProps, 'tools'>) {
  const servers = useServers(assistantId) ?? [];
  if (servers.length === 0) return null;
  const { serversOff = [] } = switched;
  return (
    <fieldset className="grid gap-4 border-border border-t pt-4">
      <legend className="sr-only">Tool servers of the assistant</legend>
      {servers.map(({ id, name }) => (
        <Switch
          key={id}
          label={
            <span dir="auto" className="wrap-anywhere">
              {name}
            </span>
          }
          description={stateWords(serversOff.includes(id) ? false : undefined, true)}
          checked={!serversOff.includes(id)}
          onChange={({ target }) => onSwitch(withServer(id, target.checked, switched))}
        />
      ))}
    </fieldset>
  );
}
