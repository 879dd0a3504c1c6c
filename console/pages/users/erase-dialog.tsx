import '../../parts/plan.css';
import { Button, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { focusFirst } from '../../parts/focus-first.ts';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
import { Copyable } from '../../parts/values.tsx';
import type { User } from './person.tsx';

type Erasure = components['schemas']['Erasure'];

/** Shows what will be erased and what will be kept, asks for confirmation, and then shows the receipt. */
export function EraseDialog({ user, isOpen, onClose }: { user: User; isOpen: boolean; onClose: () => void }) {
  const t = useTranslations('users');
  const act = useTranslations('act');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [receipt, setReceipt] = useState<Erasure | null>(null);
  const close = () => {
    onClose();
    if (!receipt) return;
    void navigate({ to: '/console/users', search: {} });
    void queries.invalidateQueries();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={t('eraseTitle', { name: nameOf(user) })}
      size="lg"
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      {receipt ? (
        <Receipt receipt={receipt} onClose={close} />
      ) : (
        <Plan user={user} onErased={setReceipt} onClose={close} />
      )}
    </Modal>
  );
}

type PlanProps = { user: User; onErased: (receipt: Erasure) => void; onClose: () => void };

function Plan({ user, onErased, onClose }: PlanProps) {
  const t = useTranslations('users');
  const act = useTranslations('act');
  const { client } = useApi();
  const { $api } = useApi();
  const [typed, setTyped] = useState('');
  const path = { LoginID: user.LoginID };
  const plan = $api.useQuery('delete', '/user/{LoginID}', { params: { path, query: { Plan: true } } });
  const erasing = useAction(async () => {
    const { data, error } = await client.DELETE('/user/{LoginID}', { params: { path } });
    if (!data) throw error;
    onErased(data);
  });
  if (plan.error) return <Failed error={plan.error} onRetry={plan.refetch} />;
  if (!plan.data) return <WaitingRows rows={4} />;
  return (
    <form
      ref={focusFirst}
      onSubmit={(event) => {
        event.preventDefault();
        void erasing.run();
      }}
    >
      <Stack>
        <Text>{t('eraseText')}</Text>
        <ErasedData erasure={plan.data} />
        <TextInput
          label={t('eraseConfirm', { loginId: user.LoginID })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <FailedAction error={erasing.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {act('cancel')}
          </Button>
          <Button type="submit" color="red.8" disabled={typed !== user.LoginID} loading={erasing.isRunning}>
            {t('eraseNow')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ErasedData({ erasure }: { erasure: Erasure }) {
  const t = useTranslations('users');
  const parts = [
    {
      title: t('goes'),
      rows: erasure.Erased.filter(({ Records }) => Records > 0).map((row) => ({ ...row, Why: null })),
    },
    { title: t('stays'), rows: erasure.Kept },
  ];
  return parts.map(({ title, rows }) => (
    <Stack gap={4} key={title}>
      <Title order={3} size="h6">
        {title}
      </Title>
      <ul className="plan">
        {rows.map(({ Data, Records, What, Why }) => (
          <li key={Data}>
            <Text size="sm">
              {What} {t('records', { count: Records })}
            </Text>
            {Why !== null && (
              <Text size="xs" c="dimmed">
                {Why}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </Stack>
  ));
}

function Receipt({ receipt, onClose }: { receipt: Erasure; onClose: () => void }) {
  const t = useTranslations('users');
  return (
    <Stack>
      <Text role="status">{t('erased')}</Text>
      {receipt.ReceiptID && <Copyable value={receipt.ReceiptID} label={t('receipt')} />}
      <ErasedData erasure={receipt} />
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {t('backToUsers')}
        </Button>
      </Group>
    </Stack>
  );
}
