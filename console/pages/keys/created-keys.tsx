import './keys.css';
import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { saveFile } from '../../parts/save-file.ts';
import { CopyTextButton } from '../../parts/values.tsx';
import { redeemAddress } from '../redeem/key-text.ts';
import type { CreatedKey } from './values.tsx';

/** One row per key; multiple values are joined as in the API's CSV cells. */
function fileOf(made: readonly CreatedKey[], tenantId: string | null): Blob {
  const header = [
    'Key',
    'KeyID',
    'CourseIDs',
    'DurationIDs',
    'LoginID',
    'Group',
    'PurchaseOrder',
    'ValidFrom',
    'ValidUntil',
  ] as const;
  const address = 'RedeemURL';
  const rows = made.map((key) => {
    const cells = header.map((name) => key[name]);
    const texts = cells.map((cell) => (Array.isArray(cell) ? JSON.stringify(cell) : cell));
    return csvRow([...texts, redeemAddress(key.Key, tenantId)]);
  });
  return csvFile([csvRow([...header, address]), ...rows]);
}

type Props = { made: readonly CreatedKey[] | null; onClose: () => void };

/** The keys are shown only once. Only the button closes the dialog, so that they are not lost by accident. */
export function CreatedKeys({ made, onClose }: Props) {
  const t = useTranslations('keys.made');
  const { tenant } = useApi();
  const { TenantID } = useSession();
  const keys = made?.map(({ Key }) => Key).join('\n') ?? '';
  const count = made?.length ?? 0;
  return (
    <Modal
      opened={made !== null}
      onClose={onClose}
      title={t('title', { count })}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {made && (
        <Stack>
          <Alert color="orange" variant="light">
            {t('text', { count })}
          </Alert>
          <Code block className="made-keys" tabIndex={0} role="region" aria-label={t('list')}>
            {keys}
          </Code>
          <Group>
            <CopyTextButton value={keys} text={t('copy', { count })} />
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              onClick={() => saveFile('enrolment-keys.csv', fileOf(made, tenant ?? TenantID))}
            >
              {t('download')}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            {t('links')}
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('kept', { count })}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
