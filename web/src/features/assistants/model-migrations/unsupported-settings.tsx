import type { ModelList } from '@roster/contracts/models/models';
import { modelName } from '#web/api/model-names.ts';
import { findModel } from '#web/api/models.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Notice } from '#web/ui/states/notice.tsx';

type NotTakenProps = {
  toModel: string;
  list: ModelList | undefined;
  /** Numbers of assistants. */
  temperatures: number;
  efforts: number;
};

/** Warns about parameters that the new model does not accept. */
export function UnsupportedSettings({ toModel, list, temperatures, efforts }: NotTakenProps) {
  if (temperatures === 0 && efforts === 0) return null;
  const name = modelName(toModel);
  const isConditional = findModel(list, toModel)?.temperature === 'conditional';
  return (
    <Notice tone="warning" className="text-sm">
      {temperatures > 0 && (
        <p>
          {isConditional
            ? `${name} accepts a temperature only when reasoning effort is None; `
            : `${name} does not accept a temperature; `}
          {`it is ignored for ${formatCount(temperatures, 'assistant')}.`}
        </p>
      )}
      {efforts > 0 && (
        <p>{`${name} does not support the reasoning effort of ${formatCount(efforts, 'assistant')}; its default is used instead.`}</p>
      )}
    </Notice>
  );
}
