import { useFormatter } from 'use-intl';

/** A human-readable file size. */
export function useBytes(): (bytes: number) => string {
  const format = useFormatter();
  return (bytes) => {
    const [unit, size] =
      bytes >= 1e9
        ? (['gigabyte', 1e9] as const)
        : bytes >= 1e6
          ? (['megabyte', 1e6] as const)
          : (['kilobyte', 1e3] as const);
    return format.number(bytes / size, { style: 'unit', unit, maximumFractionDigits: 1 });
  };
}
