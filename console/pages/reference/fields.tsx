import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Entry, Parameter, Schema } from './document.ts';
import { Prose } from './prose.tsx';
import { limitsOf, type Row, rowsOf } from './schema.ts';

/** The fields of a record, one below the other; nested fields are indented. */
export function Fields({ schema, label }: { schema: Schema; label: string }) {
  const rows = rowsOf(schema);
  if (rows.length === 0) return schema.description ? <Text size="sm">{schema.description}</Text> : null;
  return <FieldList rows={rows} label={label} />;
}

const places = ['path', 'query', 'header'] as const;

export function ParameterFields({ entry }: { entry: Entry }) {
  const t = useTranslations('reference');
  return places.map((place) => {
    const given = (entry.parameters ?? []).filter((parameter) => parameter.in === place);
    if (given.length === 0) return null;
    return (
      <Stack gap="xs" key={place}>
        <Title order={3} size="h5">
          {t(`places.${place}`)}
        </Title>
        <FieldList rows={given.map(toRow)} label={t(`places.${place}`)} />
      </Stack>
    );
  });
}

function toRow({ name, required, description, schema }: Parameter): Row {
  return {
    name,
    depth: 0,
    type: String(schema.type ?? 'string'),
    isRequired: required ?? false,
    description: description ?? schema.description ?? '',
    limits: limitsOf(schema),
  };
}

function FieldList({ rows, label }: { rows: readonly Row[]; label: string }) {
  const t = useTranslations('reference');
  return (
    <ul className="fields" aria-label={label}>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name may occur in several places of one record
        <li key={`${index} ${row.name}`} data-depth={Math.min(row.depth, 3)}>
          <Group gap="xs">
            <Code fw={600}>{row.name}</Code>
            <Text size="xs" c="dimmed" component="span">
              {row.type}
            </Text>
            {row.isRequired && (
              <Badge size="xs" color="orange">
                {t('required')}
              </Badge>
            )}
            {row.limits.map((limit) => (
              <Text size="xs" c="dimmed" component="span" key={limit} className="break">
                {limit}
              </Text>
            ))}
          </Group>
          {row.description && (
            <Text size="sm" mt={2}>
              <Prose text={row.description} />
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
