import { Alert, Checkbox, Paper, Radio, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { choices, type Existing } from './existing.ts';

type Props = {
  value: Existing;
  onChange: (value: Existing) => void;
  /** The fields of the file. */
  fields: readonly (string | null)[];
};

export function ExistingUsers({ value, onChange, fields }: Props) {
  const t = useTranslations('bulk.existing');
  const inFile = choices.filter((name) => fields.includes(name));
  return (
    <Paper withBorder p="md" className="bulk-part">
      <Stack gap="md">
        {!inFile.includes('IfExists') && (
          <Radio.Group
            label={t('label')}
            value={value.update ? 'update' : 'keep'}
            onChange={(chosen) => onChange({ ...value, update: chosen === 'update' })}
          >
            <Stack gap="sm" mt="xs">
              <Radio value="keep" label={t('keep')} description={t('keepText')} />
              <Radio value="update" label={t('update')} description={t('updateText')} />
            </Stack>
          </Radio.Group>
        )}
        {value.update && fields.includes('Password') && <Alert color="orange">{t('passwords')}</Alert>}
        {!inFile.includes('IfMissing') && (
          <Checkbox
            checked={value.create}
            onChange={(event) => onChange({ ...value, create: event.currentTarget.checked })}
            label={t('create')}
            description={t('createText')}
          />
        )}
        {inFile.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('inFile', { fields: inFile.join(', ') })}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
