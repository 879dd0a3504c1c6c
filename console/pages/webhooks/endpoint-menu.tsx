import { Menu, Text } from '@mantine/core';
import { IconKey, IconPlayerPause, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Endpoint } from './health.tsx';
import { RotateDialog } from './rotate.tsx';
import { useStatus } from './use-status.ts';

type Dialog = 'rotate' | 'disable' | 'delete' | null;

/** Rarely used actions, which ask for confirmation. */
export function EndpointMenu({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const [dialog, setDialog] = useState<Dialog>(null);
  const shown = { endpoint, onClose: () => setDialog(null) };
  return (
    <>
      <MoreMenu label={t('more')}>
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => setDialog('rotate')}>
          {t('rotate')}
        </Menu.Item>
        {endpoint.Status === 'enabled' && (
          <Menu.Item
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            onClick={() => setDialog('disable')}
          >
            {t('disable')}
          </Menu.Item>
        )}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setDialog('delete')}
        >
          {t('delete')}
        </Menu.Item>
      </MoreMenu>
      <RotateDialog isOpen={dialog === 'rotate'} {...shown} />
      <DisableDialog isOpen={dialog === 'disable'} {...shown} />
      <DeleteDialog isOpen={dialog === 'delete'} {...shown} />
    </>
  );
}

type DialogProps = { endpoint: Endpoint; isOpen: boolean; onClose: () => void };

function DisableDialog({ endpoint, isOpen, onClose }: DialogProps) {
  const t = useTranslations('webhooks');
  const set = useStatus(endpoint);
  return (
    <FormDialog
      title={t('disableTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('disable')}
      onSubmit={() => set(['disabled'], 'isDisabled')}
    >
      <Text>{t('disableText')}</Text>
    </FormDialog>
  );
}

function DeleteDialog({ endpoint, isOpen, onClose }: DialogProps) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = $api.useMutation('delete', '/webhook/{WebhookID}');
  return (
    <FormDialog
      title={t('deleteTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('delete')}
      isDangerous
      onSubmit={async () => {
        await remove.mutateAsync({ params: { path: { WebhookID: endpoint.WebhookID } } });
        notify(t('deleted'));
        await navigate({ to: '/console/webhooks' });
        await queries.invalidateQueries();
      }}
    >
      <Text className="break">{t('deleteText', { url: endpoint.URL })}</Text>
    </FormDialog>
  );
}
