import type { ComponentProps } from 'react';

type FileInputProps = Pick<ComponentProps<'input'>, 'ref' | 'accept' | 'multiple'> & {
  label: string;
  onFiles: (files: File[]) => void;
};

/** The browser's own choice of files, for a button of the page to open: `ref.current?.click()`. */
export function FileInput({ label, onFiles, ...rest }: FileInputProps) {
  return (
    <input
      {...rest}
      type="file"
      hidden
      aria-label={label}
      onChange={({ currentTarget }) => {
        onFiles([...(currentTarget.files ?? [])]);
        // So that the same file can be chosen again, after it was mended or taken out.
        currentTarget.value = '';
      }}
    />
  );
}
