import { Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { useObligationColumns } from '../requirements/columns.tsx';
import { ObligationDialog } from '../requirements/obligation-dialog.tsx';
import { useName } from './person.tsx';

type Obligation = components['schemas']['Obligation'];

/** What a person must do, with former terms, latest first. Nothing if no requirement concerns them. */
export function UserObligations({ loginId }: { loginId: string }) {
  const t = useTranslations('requirements');
  const { $api } = useApi();
  const [open, setOpen] = useState<Obligation | null>(null);
  const columns = useObligationColumns<Obligation>(setOpen, useName(loginId));
  const params = { path: { LoginID: loginId }, query: { Order: 'due_descending' as const } };
  const list = $api.useInfiniteQuery('get', '/obligation/{LoginID}', { params }, paged);
  if (!list.data?.pages[0]?.Items.length) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('ofPerson')}
      </Title>
      <List
        label={t('ofPerson')}
        query={list}
        rowKey={({ RequirementID, Cycle }) => JSON.stringify([RequirementID, Cycle])}
        columns={columns}
        empty=""
      />
      {open && <ObligationDialog obligation={open} onClose={() => setOpen(null)} />}
    </Stack>
  );
}
