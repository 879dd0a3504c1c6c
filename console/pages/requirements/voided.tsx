import { Button, List, NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Rows } from '../../parts/list.tsx';
import { FailedAction, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant } from '../../parts/values.tsx';
import { useFoundCourses } from '../courses/find-offered.ts';
import { ListedUser } from '../users/person.tsx';
import { type RequirementPlan, shown } from './plan.tsx';
import type { Requirement } from './record.ts';

/** The releases whose earlier completions do not count, and a button that adds one. */
export function Voided({ requirement }: { requirement: Requirement }) {
  const t = useTranslations('requirements.void');
  const [isOpen, setOpen] = useState(false);
  const courses = useFoundCourses(requirement.CourseIDs);
  const title = (id: string) => courses.find(({ CourseID }) => CourseID === id)?.Title ?? id;
  return (
    <>
      <Text size="sm">{t('text')}</Text>
      {requirement.Voided.length > 0 && (
        <List size="sm">
          {requirement.Voided.map(({ CourseID, Release, Before }) => (
            <List.Item key={CourseID + Release} className="break">
              {t.rich('voided', {
                course: title(CourseID),
                release: Release,
                before: () => <Instant at={Before} />,
              })}
            </List.Item>
          ))}
        </List>
      )}
      <div>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t('open')}
        </Button>
      </div>
      {isOpen && <VoidDialog {...{ requirement, courses }} onClose={() => setOpen(false)} />}
    </>
  );
}

type DialogProps = {
  requirement: Requirement;
  courses: ReturnType<typeof useFoundCourses>;
  onClose: () => void;
};

/** Says who would have to repeat the course, and by when, before anything changes. */
function VoidDialog({ requirement: { RequirementID, CourseIDs }, courses, onClose }: DialogProps) {
  const t = useTranslations('requirements.void');
  const shared = useTranslations('requirements');
  const { client } = useApi();
  const queries = useQueryClient();
  const [CourseID, setCourse] = useState(CourseIDs[0] ?? '');
  const current = courses.find((course) => course.CourseID === CourseID)?.Release ?? 1;
  const [release, setRelease] = useState<number | null>(null);
  const [Before, setBefore] = useState('');
  // A new release was imported because of the change, so the one before it is no longer enough.
  const Release = release ?? Math.max(1, current - 1);
  const send = (query: { Plan: true } | { Confirm: number }) =>
    dataOf(
      client.POST('/requirement/{RequirementID}/void', {
        params: { path: { RequirementID }, query },
        body: { CourseID, Release, ...(Before && { Before }) },
      }),
    );
  const plan = useQuery({
    queryKey: ['void', RequirementID, CourseID, Release, Before],
    queryFn: async () => (await send({ Plan: true })) as RequirementPlan,
    gcTime: 0,
    retry: false,
  });
  const count = plan.data?.Opens ?? 0;
  const again = plan.data?.Changes.filter(({ Change }) => Change === 'open' || Change === 'reopen') ?? [];
  return (
    <FormDialog
      isOpen
      title={t('title')}
      onClose={onClose}
      submit={t('submit', { count })}
      isDangerous
      isBlocked={!plan.data}
      onSubmit={async () => {
        await send({ Confirm: count });
        await queries.invalidateQueries();
        notify(t('done', { count }));
      }}
    >
      {CourseIDs.length > 1 && (
        <NativeSelect
          label={t('course')}
          value={CourseID}
          onChange={({ currentTarget: { value } }) => {
            setCourse(value);
            setRelease(null);
          }}
          data={CourseIDs.map((value) => ({
            value,
            label: courses.find((course) => course.CourseID === value)?.Title ?? value,
          }))}
        />
      )}
      <NumberInput
        label={t('release')}
        description={t('releaseText', { current })}
        required
        min={1}
        allowDecimal={false}
        value={Release}
        onChange={(value) => typeof value === 'number' && setRelease(value)}
        maw={260}
      />
      <TextInput
        type="date"
        label={t('before')}
        description={t('beforeText')}
        value={Before}
        onChange={(event) => setBefore(event.currentTarget.value)}
        maw={260}
      />
      {plan.data ? (
        <div role="status">
          <Text fw={600} mb="xs">
            {t('plan', { count })}
          </Text>
          {again.length > 0 && (
            <Rows
              label={t('plan', { count })}
              rows={again.slice(0, shown)}
              rowKey={({ LoginID }) => LoginID}
              columns={[
                {
                  key: 'person',
                  header: shared('person'),
                  cell: ({ LoginID }) => <ListedUser loginId={LoginID} />,
                },
                {
                  key: 'due',
                  header: shared('dueAt'),
                  cell: ({ DueAt }) => <Instant at={DueAt} isDay />,
                },
              ]}
            />
          )}
          {again.length > shown && (
            <Text size="sm" c="dimmed">
              {shared('planShown', { shown, count: again.length })}
            </Text>
          )}
        </div>
      ) : plan.error ? (
        <FailedAction error={plan.error} />
      ) : (
        <WaitingRows rows={2} />
      )}
    </FormDialog>
  );
}
