import { useFormatter } from 'use-intl';

type Row = { key: string; header: string; values: readonly (number | string)[] };

type Props = {
  /** The table's name for screen readers. */
  label: string;
  /** The column headers. The first one is above the row headers. */
  headers: readonly string[];
  rows: readonly Row[];
  total?: Row;
  className?: string;
};

/** A scrollable table of numbers. */
export function NumberTable({ label, headers, rows, total, className = '' }: Props) {
  const format = useFormatter();
  const [first, ...others] = headers;
  const cells = ({ values }: Row) =>
    values.map((value, at) => (
      <td key={others[at]} data-zero={value === 0 || undefined}>
        {typeof value === 'number' ? format.number(value) : value}
      </td>
    ));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className={`numbers ${className}`} aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {others.map((header) => (
              <th key={header} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.header}</th>
              {cells(row)}
            </tr>
          ))}
        </tbody>
        {total && (
          <tfoot>
            <tr>
              <th scope="row">{total.header}</th>
              {cells(total)}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}
