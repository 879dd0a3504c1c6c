import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Rows } from '../../parts/list.tsx';
import { type Field, type Subject, subjectInfo } from './subjects.ts';

/** The fields that a file can contain, for people who prepare a file. */
export function FieldList({ subject }: { subject: Subject }) {
  const t = useTranslations('bulk');
  const { fields, required } = subjectInfo[subject];
  const isRequired = (field: Field) => required.some((one) => one === field);
  const textOf = (field: Field) =>
    field === 'LoginID' ? t(`fields.${subject}.LoginID`) : t(`fields.${field}`);
  return (
    <Stack gap="sm" className="bulk-fields">
      <Stack gap={2}>
        <Title order={2} size="h4">
          {t('fieldsTitle')}
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          {t('fieldsText')}
          {subject === 'users' && ` ${t('coursesText')}`}
        </Text>
      </Stack>
      <Rows
        label={t('fieldsTitle')}
        rows={[...fields] as Field[]}
        rowKey={(field) => field}
        columns={[
          {
            key: 'field',
            header: t('field'),
            cell: (field) => (
              <Group gap="xs">
                <Code>{field === 'Metadata' ? 'Metadata.…' : field}</Code>
                {isRequired(field) && <Badge color="blue">{t('required')}</Badge>}
              </Group>
            ),
          },
          { key: 'text', header: t('meaning'), cell: textOf },
        ]}
      />
    </Stack>
  );
}
