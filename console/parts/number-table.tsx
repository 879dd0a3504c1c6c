import { Table } from '@mantine/core';
import { useFormatter } from 'use-intl';

type Row = { key: string; header: string; values: readonly number[] };

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
      <Table.Td key={others[at]} ta="end" data-zero={value === 0 || undefined}>
        {format.number(value)}
      </Table.Td>
    ));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
    <section className={`numbers ${className}`} aria-label={label} tabIndex={0}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{first}</Table.Th>
            {others.map((header) => (
              <Table.Th key={header} scope="col" ta="end">
                {header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Th scope="row" fw={400}>
                {row.header}
              </Table.Th>
              {cells(row)}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {total && (
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row">{total.header}</Table.Th>
              {cells(total)}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </section>
  );
}
