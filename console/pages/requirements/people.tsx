import { Button, Text } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { namesOf } from '../../parts/choices.ts';
import {
  CsvButton,
  choiceFilter,
  dayFilter,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { Page } from '../../parts/page.tsx';
import { SelectionBar } from '../../parts/selection.tsx';
import { isOrder } from '../../parts/sorting.tsx';
import { FailedAction, Message } from '../../parts/states.tsx';
import { None } from '../../parts/values.tsx';
import { usePeopleFilters } from '../users/people-filters.tsx';
import { LoginID, UserLink } from '../users/person.tsx';
import { useObligationColumns } from './columns.tsx';
import { ObligationDialog } from './obligation-dialog.tsx';
import { useRequirements } from './record.ts';
import { type Remind, RemindDialog } from './remind-dialog.tsx';
import { type Obligation, statusFilters } from './status.tsx';
import { useDayText } from './words.ts';

/** The statuses of which the API reminds: of those that are completed, it reminds of the renewal. */
const remindable = ['overdue', 'due_soon', 'not_due', 'expiring', 'expired'];

/** Closed obligations are shown only on request. */
const current = 'not_due,due_soon,overdue,met,expiring,expired,exempt';

/** The API leaves the day itself out. */
const dayAfter = (day: string) =>
  day.length === 10 ? new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10) : day;

/** Who must do what, by when, and who has done it. */
export default function RequiredPeople() {
  const t = useTranslations('requirements');
  const o = useTranslations('obligations');
  const u = useTranslations('users');
  const shell = useTranslations('shell');
  const noneId = useId();
  const dayText = useDayText();
  const requirements = useRequirements();
  const [remind, setWhom] = useState<Remind | null>(null);
  const [explained, setExplained] = useState<Obligation | null>(null);
  const at = useListFilters(
    [
      choiceFilter(
        'status',
        t('status'),
        namesOf(statusFilters).map((value) => ({
          ...{ value, query: { Status: statusFilters[value] } },
          label: o(value === 'late' || value === 'open' || value === 'valid' ? value : `statuses.${value}`),
        })),
      ),
      {
        ...choiceFilter(
          'requirement',
          t('requirement'),
          requirements.map(({ RequirementID, Title }) => ({
            ...{ value: RequirementID, label: Title, query: {} },
          })),
        ),
        query: (RequirementID) => ({ RequirementID }),
      },
      ...usePeopleFilters(),
      dayFilter('due', t('dueBy'), (day) => ({ DueBefore: dayAfter(day) })),
      dayFilter('until', t('validBy'), (day) => ({ ValidBefore: dayAfter(day) })),
      dayFilter('day', t('asOf'), (AsOf) => ({ AsOf })),
      choiceFilter('present', t('rows.label'), [
        { value: 'true', label: t('rows.counted'), query: { Present: true } },
      ]),
    ],
    ['order', 'by'],
  );
  const asked = String(at.wanted.Status ?? current).split(',');
  const isPast = at.wanted.AsOf !== undefined;
  const open = isPast ? [] : remindable.filter((status) => asked.includes(status));
  const order = isOrder(at.values.order) ? at.values.order : 'oldest';
  const isByEnd = at.values.by === 'end';
  const rows = useListRows<Obligation>({
    path: '/obligation',
    at: { ...at, wanted: { Status: current, ...at.wanted } },
    order: { Order: `${isByEnd ? 'valid_until' : 'due'}${order === 'newest' ? '_descending' : ''}` },
    // People who have been erased have no LoginID.
    rowKey: ({ LoginID, RequirementID, Cycle, OpenedAt, MetAt }) =>
      JSON.stringify([LoginID, RequirementID, Cycle, ...(LoginID === null ? [OpenedAt, MetAt] : [])]),
    nameOf: (row) => `${nameOf(row)}: ${row.Title}`,
  });
  const { ticked } = rows;
  /** Those who are ticked or, if nobody is, all who match the filters and for whom something is open. */
  const whom = async (): Promise<Remind> => {
    if (ticked.count > 0 && !ticked.isAll) {
      const chosen = (await ticked.read()).flatMap(({ LoginID }) => LoginID ?? []);
      return { LoginIDs: [...new Set(chosen)] };
    }
    const { Status: _, ...others } = at.wanted;
    return { ...(others as Remind), Status: open.join(',') };
  };
  const reminding = useAction(async () => setWhom(await whom()));
  const columns = useObligationColumns<Obligation>(setExplained);
  return (
    <Page
      title={shell('menu.requirements')}
      actions={
        <>
          <CsvButton rows={rows} />
          <Button
            leftSection={<IconBell size={16} aria-hidden />}
            disabled={open.length === 0}
            aria-describedby={open.length === 0 ? noneId : undefined}
            loading={reminding.isRunning}
            onClick={() => void reminding.run()}
          >
            {ticked.count > 0 ? t('remind.chosen', { count: ticked.count }) : t('remind.all')}
          </Button>
        </>
      }
    >
      <ListFilterBar at={at} />
      {open.length === 0 && (
        <Text size="sm" c="dimmed" id={noneId}>
          {isPast ? t('remind.past', { day: dayText(String(at.wanted.AsOf)) }) : t('remind.nothing')}
        </Text>
      )}
      <FailedAction error={reminding.error} />
      <SelectionBar label={t('remind.label')} text={(count) => t('people', { count })} ticked={ticked}>
        {null}
      </SelectionBar>
      <FilteredList
        label={shell('menu.requirements')}
        rows={rows}
        isSelectable={!isPast}
        columns={[
          {
            key: 'person',
            header: u('name'),
            share: 26,
            cell: (row) =>
              row.LoginID === null ? (
                <None />
              ) : (
                <>
                  <UserLink loginId={row.LoginID}>{nameOf({ ...row, LoginID: row.LoginID })}</UserLink>
                  <LoginID name={nameOf({ ...row, LoginID: row.LoginID })} loginId={row.LoginID} />
                </>
              ),
          },
          ...columns,
        ]}
        sorts={[
          {
            column: 'due',
            order: isByEnd ? undefined : order,
            first: 'oldest',
            onChange: (order) => at.change({ order, by: undefined }),
            texts: { newest: t('orders.newest'), oldest: t('orders.oldest') },
          },
          {
            column: 'valid',
            order: isByEnd ? order : undefined,
            first: 'oldest',
            onChange: (order) => at.change({ order, by: 'end' }),
            texts: { newest: t('ordersOfEnd.newest'), oldest: t('ordersOfEnd.oldest') },
          },
        ]}
        noneFound={{ title: t('nobodyFound'), text: t('nobodyFoundText') }}
        none={<Message title={t('nobody')} text={t('nobodyText')} />}
      />
      {explained && (
        <ObligationDialog obligation={explained} isPast={isPast} onClose={() => setExplained(null)} />
      )}
      {remind && (
        <RemindDialog
          whom={remind}
          onClose={() => {
            setWhom(null);
            ticked.clear();
          }}
        />
      )}
    </Page>
  );
}
