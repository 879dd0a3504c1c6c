import { Anchor, Button, Text } from '@mantine/core';
import type { InfiniteData } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { nameOf, useSession } from '../../api/session.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { SelectionBar, useSelection } from '../../parts/selection.tsx';
import { Message } from '../../parts/states.tsx';
import { RemindDialog } from '../requirements/remind-dialog.tsx';
import { DueDay } from './due-day.tsx';

type Member = components['schemas']['TeamMember'];

const rowKey = ({ LoginID }: Member) => LoginID;

/** Whoever has most to catch up on comes first. */
const byUrgency = (one: Member, other: Member) =>
  other.Overdue - one.Overdue || other.DueSoon - one.DueSoon || nameOf(one).localeCompare(nameOf(other));

type Pages = InfiniteData<{ Items: Member[]; NextCursor: string | null } | undefined>;

const sorted = {
  ...paged,
  select: (data: Pages): Pages => ({
    ...data,
    pages: data.pages.map((page) => page && { ...page, Items: page.Items.toSorted(byUrgency) }),
  }),
};

/** A manager's direct reports: who is late, and reminders for them. */
export default function TeamPage() {
  const t = useTranslations('team');
  const home = useTranslations('home');
  const { LoginID } = useSession();
  const { $api } = useApi();
  const [reminded, setReminded] = useState<readonly Member[] | null>(null);
  const manager = LoginID ?? '';
  const params = { path: { LoginID: manager }, query: { Limit: 200 } };
  const team = $api.useInfiniteQuery('get', '/team/{LoginID}', { params }, sorted);
  const members = team.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  const ticked = useSelection<Member>({
    ...{ rowKey, nameOf, path: `/team/${encodeURIComponent(manager)}`, query: {}, all: undefined },
  });
  const overdue = members.filter(({ Overdue }) => Overdue > 0);
  const actions = overdue.length > 0 && (
    <Button onClick={() => setReminded(overdue)}>{t('remindOverdue', { count: overdue.length })}</Button>
  );
  return (
    <Page
      title={t('title')}
      text={t('text')}
      back={{ to: '/console', text: home('myCourses') }}
      actions={actions}
    >
      <SelectionBar label={t('chosenLabel')} text={(count) => t('chosen', { count })} ticked={ticked}>
        <Button size="xs" onClick={() => setReminded([...ticked.selection.chosen.values()])}>
          {t('remind')}
        </Button>
      </SelectionBar>
      <List
        label={t('title')}
        query={team}
        rowKey={rowKey}
        selection={ticked.selection}
        columns={useColumns()}
        empty={<Message title={t('none')} text={t('noneText')} />}
      />
      {reminded && (
        <RemindDialog
          whom={{ LoginIDs: reminded.map(rowKey) }}
          team={{ manager, people: reminded }}
          onClose={() => setReminded(null)}
        />
      )}
    </Page>
  );
}

function useColumns(): Column<Member>[] {
  const t = useTranslations('team');
  const format = useFormatter();
  const number = (key: 'DueSoon' | 'Met') => ({
    key,
    header: t(`columns.${key}`),
    align: 'end' as const,
    cell: (member: Member) => format.number(member[key]),
  });
  return [
    {
      key: 'name',
      header: t('columns.name'),
      cell: (member) => (
        <Anchor
          className="break"
          renderRoot={(props) => (
            <Link to="/console/team/$loginId" params={{ loginId: member.LoginID }} {...props} />
          )}
        >
          {nameOf(member)}
        </Anchor>
      ),
    },
    {
      key: 'Overdue',
      header: t('columns.Overdue'),
      align: 'end',
      cell: ({ Overdue }) => (
        <Text component="span" size="sm" {...(Overdue > 0 && { fw: 600, c: 'var(--mantine-color-error)' })}>
          {format.number(Overdue)}
        </Text>
      ),
    },
    number('DueSoon'),
    number('Met'),
    {
      key: 'next',
      header: t('columns.next'),
      cell: ({ NextDueAt, Overdue }) => <DueDay at={NextDueAt} isLate={Overdue > 0} />,
    },
  ];
}
