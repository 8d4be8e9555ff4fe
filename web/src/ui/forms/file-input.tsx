import type { ComponentProps } from 'react';

type FileInputProps = Pick<ComponentProps<'input'>, 'ref' | 'accept' | 'multiple'> & {
  label: string;
  onFiles: (files: File[]) => void;
};

/** A hidden file input; open its picker with `ref.current?.click()`. */
export function FileInput({ label, onFiles, ...rest }: FileInputProps) {
  return (
    <input
      {...rest}
      type="file"
      hidden
      aria-label={label}
      onChange={({ currentTarget }) => {
        onFiles([...(currentTarget.files ?? [])]);
        // Lets the same file be chosen again, after it was edited or removed.
        currentTarget.value = '';
      }}
    />
  );
}
