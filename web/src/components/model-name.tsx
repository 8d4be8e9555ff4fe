import { modelNameParts } from '#web/api/model-names.ts';
import { useConnectionNames } from '#web/api/use-model-name.ts';

/** A model's id, with the muted name of its connection where there is more than one. */
export function ModelName({ model: reference }: { model: string }) {
  useConnectionNames(reference);
  const { model, connection } = modelNameParts(reference);
  return (
    <>
      {model}
      {connection !== null && <span className="text-muted-foreground"> ({connection})</span>}
    </>
  );
}
