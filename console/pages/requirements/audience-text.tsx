import { Fragment } from 'react';
import { useTranslations } from 'use-intl';
import { Names } from '../users/person.tsx';
import type { Audience } from './record.ts';

/** Whom a requirement concerns, in words. */
export function AudienceText({ Groups = [], Attributes = {}, Managers = [], LoginIDs = [] }: Audience) {
  const t = useTranslations('requirements');
  const parts = [
    ...(Groups.length > 0 ? [Groups.join(', ')] : []),
    ...Object.entries(Attributes).map(([name, values]) => `${name}: ${[values].flat().join(', ')}`),
    ...(Managers.length > 0 ? [t.rich('teamsOf', { managers: () => <Names loginIds={Managers} /> })] : []),
    ...(LoginIDs.length > 0 ? [<Names key="people" loginIds={LoginIDs} max={3} />] : []),
  ];
  if (parts.length === 0) return t('everybody');
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name and keep their order.
    <Fragment key={at}>
      {at > 0 && ' · '}
      {part}
    </Fragment>
  ));
}
