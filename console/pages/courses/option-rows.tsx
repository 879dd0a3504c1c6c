import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { type Column, Rows } from '../../parts/list.tsx';
import { CourseStatusBadge, type Option, Price, SeatsOf, TimeOf } from './values.tsx';

type OptionRowsProps = {
  options: readonly Option[];
  empty: ReactNode;
  /** An option's buttons, for users who may change it. If set, the list also shows each option's status. */
  actions?: (option: Option) => ReactNode;
};

/** The enrolment options of a course. */
export function OptionRows({ options, empty, actions }: OptionRowsProps) {
  const t = useTranslations('courses');
  const columns: Column<Option>[] = [
    {
      key: 'name',
      header: t('options.option'),
      cell: ({ Name, DurationID }) => (
        <>
          {Name}
          {Name !== DurationID && (
            <Text size="xs" c="dimmed" fw={400} className="break">
              {DurationID}
            </Text>
          )}
        </>
      ),
    },
    { key: 'time', header: t('options.time'), cell: (option) => <TimeOf option={option} /> },
    { key: 'seats', header: t('options.seats'), cell: (option) => <SeatsOf option={option} /> },
    {
      key: 'groups',
      header: t('options.groups'),
      cell: ({ Groups }) => Groups?.join(', ') ?? t('options.everybody'),
    },
    { key: 'price', header: t('options.price'), cell: (option) => <Price price={option.Price} /> },
  ];
  if (actions)
    columns.push(
      {
        key: 'status',
        header: t('list.status'),
        cell: ({ Status }) => <CourseStatusBadge status={Status} />,
      },
      { key: 'actions', header: t('list.actions'), isActions: true, align: 'end', cell: actions },
    );
  if (options.length === 0)
    return (
      <Paper withBorder p="lg">
        {empty}
      </Paper>
    );
  return (
    <Rows
      label={t('options.title')}
      columns={columns}
      rows={options}
      rowKey={({ DurationID }) => DurationID}
    />
  );
}
