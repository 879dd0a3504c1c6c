import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { findOffered } from '../courses/find-offered.ts';
import { OptionCards } from '../enrolments/option-cards.tsx';

/** What is known of a course: its options, and the one that was chosen or is the only one. */
export type Chosen = { options: readonly string[]; durationId: string | undefined };

type Props = {
  courseId: string;
  /** One of the people. Options depend only on the group, so they apply to all of them. */
  loginId: string | undefined;
  takesSeat: boolean;
  chosen: Chosen | undefined;
  onChange: (chosen: Chosen) => void;
  isTitled: boolean;
};

export function CourseOptions({ courseId, loginId, takesSeat, chosen, onChange, isTitled }: Props) {
  const api = useApi();
  const offer = useQuery({
    queryKey: ['options to enrol with', courseId, loginId],
    queryFn: () =>
      loginId === undefined
        ? findOffered(api, courseId)
        : dataOf(
            api.client.GET('/catalogue/course/{CourseID}/{LoginID}', {
              params: { path: { CourseID: courseId, LoginID: loginId } },
            }),
          ),
  });
  const ids = offer.data?.AvailableEnrolOptions.map(({ DurationID }) => DurationID);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the options arrive
  useEffect(() => {
    if (ids) onChange({ options: ids, durationId: ids.length === 1 ? ids[0] : undefined });
  }, [ids?.join('\n')]);
  if (offer.isPending) return <WaitingRows rows={2} />;
  if (offer.error) return <Failed error={offer.error} onRetry={offer.refetch} />;
  return (
    <OptionCards
      options={offer.data?.AvailableEnrolOptions ?? []}
      value={chosen?.durationId}
      onChange={(durationId) => onChange({ options: ids ?? [], durationId })}
      isRetired={offer.data?.Status === 'retired'}
      takesSeat={takesSeat}
      {...(isTitled && offer.data ? { title: offer.data.Title } : {})}
    />
  );
}
