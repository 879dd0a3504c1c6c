import { type ButtonProps, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { FailedAction, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { errorsIn } from './release-content.tsx';
import type { Release } from './upload.ts';

type Affected = NonNullable<components['schemas']['ReleaseEffect']['Affected']>;

const groups = [
  ['NotStarted', 'notStarted'],
  ['InProgress', 'inProgress'],
  ['Completed', 'completed'],
] as const satisfies readonly (readonly [keyof Affected, string])[];

/** How many learners the new current release affects, by what happens to them. */
function Effect({ affected, release }: { affected: Affected; release: number }) {
  const t = useTranslations('courses.releases.effect');
  const format = useFormatter();
  return (
    <>
      <dl className="effect">
        {groups.map(([field, name]) => (
          <div key={field}>
            <dt>
              {t(`${name}.label`)}
              <Text size="sm" c="dimmed">
                {t(`${name}.text`, { number: release })}
              </Text>
            </dt>
            <dd>{format.number(affected[field])}</dd>
          </div>
        ))}
      </dl>
      {affected.More && <Text size="sm">{t('more')}</Text>}
    </>
  );
}

/** Sets a release as current after a plan that shows how many learners it affects. */
export function MakeCurrent({ release, button }: { release: Release; button?: ButtonProps }) {
  const { CourseID, Release } = release;
  const errors = errorsIn(release);
  const t = useTranslations('courses.releases');
  const { client, $api } = useApi();
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const path = { CourseID, Release };
  const body = { Current: true } as const;
  const plan = $api.useQuery(
    'put',
    '/course/{CourseID}/release/{Release}',
    { params: { path, query: { Plan: true } }, body },
    { enabled: isAsked, gcTime: 0 },
  );
  const affected = plan.isFetching ? undefined : plan.data?.Affected;
  const make = async () => {
    const { error } = await client.PUT('/course/{CourseID}/release/{Release}', { params: { path }, body });
    if (error) throw error;
    setAsked(false);
    notify(t('madeCurrent', { number: Release }));
    await queries.invalidateQueries();
  };
  return (
    <ConfirmButton
      text={t('makeCurrent')}
      title={t('makeCurrentTitle', { number: Release })}
      question={
        <Stack gap="sm">
          {affected ? (
            <Effect affected={affected} release={Release} />
          ) : plan.error ? (
            <FailedAction error={plan.error} />
          ) : (
            <WaitingRows rows={3} />
          )}
          {errors > 0 && <Text fw={600}>{t('makeCurrentErrors', { count: errors })}</Text>}
        </Stack>
      }
      confirm={t('makeCurrent')}
      acknowledge={errors > 0 ? t('makeCurrentAnyway') : undefined}
      isDangerous={errors > 0}
      isReady={Boolean(affected)}
      onOpen={() => (isAsked ? void plan.refetch() : setAsked(true))}
      act={make}
      button={{ size: 'compact-sm', ...button }}
    />
  );
}
