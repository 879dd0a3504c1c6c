import { Anchor, Button, Text } from '@mantine/core';
import type { InfiniteData } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { nameOf, useSession } from '../../api/session.tsx';
import { useDayFormat } from '../../parts/day-zone.ts';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { SelectionBar, useSelection } from '../../parts/selection.tsx';
import { Message } from '../../parts/states.tsx';
import { RemindDialog } from '../requirements/remind-dialog.tsx';

type Member = components['schemas']['TeamMember'];

const rowKey = ({ LoginID }: Member) => LoginID;

const late = ({ Overdue, Expired }: Member) => Overdue + Expired;

/** Whoever has most to catch up on comes first. */
const byUrgency = (one: Member, other: Member) =>
  late(other) - late(one) || other.DueSoon - one.DueSoon || nameOf(one).localeCompare(nameOf(other));

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
  const overdue = members.filter((member) => late(member) > 0);
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

const isLate = (status: string) => ['overdue', 'expired'].includes(status.toLowerCase());

/** What a person has to complete or renew first, with its date. */
function Urgent({ of: { Urgent: first, ...counts } }: { of: Member }) {
  const t = useTranslations('team');
  const o = useTranslations('obligations');
  const day = useDayFormat();
  const all = late({ Urgent: first, ...counts }) + counts.DueSoon + counts.NotDue + counts.Expiring;
  return (
    <>
      {first.map(({ RequirementID, Title, Status, At }) => (
        <Text key={RequirementID} size="sm" {...(isLate(Status) && { c: 'var(--mantine-color-error)' })}>
          {t('urgent', {
            title: Title,
            status: o(`statuses.${Status}`),
            day: day(At),
          })}
        </Text>
      ))}
      {first.length === 0 && <Text size="sm">{t('nothingOpen')}</Text>}
      {all > first.length && (
        <Text size="sm" c="dimmed">
          {t('more', { count: all - first.length })}
        </Text>
      )}
    </>
  );
}

function useColumns(): Column<Member>[] {
  const t = useTranslations('team');
  const o = useTranslations('obligations');
  const format = useFormatter();
  const number = (key: 'Overdue' | 'Expired' | 'DueSoon' | 'Expiring' | 'Met') => ({
    key,
    onPhone: 'hidden' as const,
    header: o(`figures.${key}`),
    align: 'end' as const,
    cell: (member: Member) => (
      <Text
        component="span"
        size="sm"
        {...(isLate(key) && member[key] > 0 && { fw: 600, c: 'var(--mantine-color-error)' })}
      >
        {format.number(member[key])}
      </Text>
    ),
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
      key: 'urgent',
      header: t('columns.urgent'),
      onPhone: 'plain',
      cell: (member) => <Urgent of={member} />,
    },
    number('Overdue'),
    number('Expired'),
    number('DueSoon'),
    number('Expiring'),
    number('Met'),
  ];
}
