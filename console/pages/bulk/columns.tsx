import { Alert, Badge, Button, Checkbox, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { type Column, Rows } from '../../parts/list.tsx';
import type { Source } from './source.ts';
import { hasCourses, isField, missingFields, type Subject, subjectInfo } from './subjects.ts';

type Props = {
  source: Source;
  subject: Subject;
  fields: readonly (string | null)[];
  onChange: (fields: (string | null)[]) => void;
  isChecked: boolean;
  onChecked: (isChecked: boolean) => void;
  onPlan: () => void;
  isUnfinished: boolean;
  children: ReactNode;
};

/** The recognised columns and the first rows, to be checked before anything is sent. */
export function Columns(props: Props) {
  const { source, subject, fields, onChange, onPlan, isUnfinished, children } = props;
  const t = useTranslations('bulk');
  const missing = missingFields(subject, fields);
  const left = fields.filter((field) => field === null).length;
  // Each field can be assigned to one column only.
  const choose = (at: number, field: string | null) =>
    onChange(fields.map((known, other) => (other === at ? field : known === field ? null : known)));
  const columns: Column<number>[] = [
    {
      key: 'name',
      header: t('column'),
      cell: (at) => <span className="break">{source.columns[at] || t('unnamed')}</span>,
    },
    {
      key: 'field',
      header: t('field'),
      cell: (at) => (
        <FieldOf
          column={source.columns[at] ?? ''}
          field={fields[at] ?? null}
          subject={subject}
          hasMetadata={subject === 'enrolments' || hasCourses(subject, fields)}
          {...(source.csv ? { onChange: (field: string | null) => choose(at, field) } : {})}
        />
      ),
    },
    ...source.samples.map(({ line, cells }) => ({
      key: `line ${line}`,
      header: t('line', { line: String(line) }),
      cell: (at: number) => <SampleCell text={cells[at] ?? ''} isSecret={fields[at] === 'Password'} />,
    })),
  ];
  return (
    <Stack gap="md">
      <Stack gap={2}>
        <Title order={2} size="h4">
          {t('columnsTitle')}
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          {t(source.csv ? 'columnsText' : 'membersText')}
          {source.headerLine !== null && ` ${t('headerLine', { line: String(source.headerLine) })}`}
        </Text>
      </Stack>
      {isUnfinished && (
        <Alert color="blue" title={t('unfinished')}>
          {t('unfinishedText')}
        </Alert>
      )}
      {missing.length > 0 && (
        <Alert color="orange" role="alert" title={t('missing', { fields: missing.join(', ') })}>
          {t(source.csv ? 'missingText' : 'missingMember')}
        </Alert>
      )}
      <Rows
        label={t('columnsTitle')}
        columns={columns}
        rows={source.columns.map((_, at) => at)}
        rowKey={String}
      />
      {children}
      {source.csv && (
        <Checkbox
          label={t('check')}
          description={t(`checkText.${subject}`)}
          checked={props.isChecked}
          onChange={(event) => props.onChecked(event.currentTarget.checked)}
        />
      )}
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" maw={560}>
          {left > 0 && source.csv && `${t('leftColumns', { count: left })} `}
          {t('planText')}
        </Text>
        <Button size="md" disabled={source.csv !== null && missing.length > 0} onClick={onPlan}>
          {t('plan')}
        </Button>
      </Group>
    </Stack>
  );
}

type FieldProps = {
  column: string;
  field: string | null;
  subject: Subject;
  hasMetadata: boolean;
  /** Columns can be reassigned only if the file has a header. */
  onChange?: (field: string | null) => void;
};

function FieldOf({ column, field, subject, hasMetadata, onChange }: FieldProps) {
  const t = useTranslations('bulk');
  if (!onChange)
    return isField(subject, column) || column === 'Metadata' ? (
      <Badge color="green">{t('known')}</Badge>
    ) : (
      <Badge color="orange">{t('unknown')}</Badge>
    );
  const members = hasMetadata && column !== '' ? [`Metadata.${column.replace(/^Metadata\./, '')}`] : [];
  const names: string[] = subjectInfo[subject].fields.filter((name) => name !== 'Metadata');
  return (
    <NativeSelect
      aria-label={t('fieldOf', { column: column || t('unnamed') })}
      value={field ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      data={[{ value: '', label: t('notImported') }, ...names, ...members]}
      className="field-choice"
      data-left={field === null || undefined}
    />
  );
}

function SampleCell({ text, isSecret }: { text: string; isSecret: boolean }) {
  if (text === '') return <>–</>;
  return (
    <Text size="sm" span c="dimmed" className="break sample-cell">
      {isSecret ? '•••••' : text}
    </Text>
  );
}
