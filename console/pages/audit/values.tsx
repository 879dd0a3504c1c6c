import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { None, Note } from '../../parts/values.tsx';
import type { AuditEntry } from './actions.ts';

/** The actor's name, and their IP address. */
export function Actor({ entry: { Actor, ActorName, Address } }: { entry: AuditEntry }) {
  const t = useTranslations('audit');
  return (
    <>
      <Text size="sm" className="break" span>
        {ActorName ?? t(`actors.${Actor}`)}
      </Text>
      <Note>{[ActorName === null ? null : t(`actors.${Actor}`), Address].filter(Boolean).join(' · ')}</Note>
    </>
  );
}

/** The object that was changed, with a link to it unless it was deleted. */
export function Target({ entry }: { entry: AuditEntry }) {
  const { Target, TargetID, TargetName, TenantID } = entry;
  if (TargetID === null) return <None />;
  const text = TargetName ?? TargetID;
  const search = TenantID === null ? {} : { tenant: TenantID };
  const shown = { size: 'sm', className: 'break' } as const;
  if (Target === 'course')
    return (
      <Anchor
        {...shown}
        renderRoot={(props) => (
          <Link to="/console/courses/$courseId" params={{ courseId: TargetID }} {...props} />
        )}
      >
        {text}
      </Anchor>
    );
  if (TargetName === null || (Target !== 'user' && Target !== 'enrolment'))
    return (
      <Text span {...shown} {...(TargetName === null && Target !== 'tenant' ? { c: 'dimmed' } : {})}>
        {text}
      </Text>
    );
  return (
    <Anchor
      {...shown}
      renderRoot={(props) =>
        Target === 'user' ? (
          <Link to="/console/users/$loginId" params={{ loginId: TargetName }} search={search} {...props} />
        ) : (
          <Link
            to="/console/enrolments/$loginId/$enrollId"
            params={{ loginId: TargetName, enrollId: TargetID }}
            search={search}
            {...props}
          />
        )
      }
    >
      {text}
    </Anchor>
  );
}

/** The changes in one line: field names, with their new values if there are any. */
export function Change({ data }: { data: AuditEntry['Data'] }) {
  const format = useFormatter();
  const show = (value: unknown): string => {
    if (Array.isArray(value)) return value.join(', ');
    if (typeof value !== 'string' || !isInstant.test(value)) return String(value ?? '–');
    return format.dateTime(new Date(value), { dateStyle: 'medium', timeStyle: 'short' });
  };
  const { Changed, From, To, KeyIDs, ...others } = data;
  const parts = [
    ...(Changed === undefined ? [] : [show(Changed)]),
    ...(To === undefined ? [] : [From == null ? show(To) : `${show(From)} → ${show(To)}`]),
    ...(Array.isArray(KeyIDs) ? [`KeyIDs: ${KeyIDs.length}`] : []),
    ...Object.entries(others).map(([name, value]) => `${name}: ${show(value)}`),
  ];
  if (parts.length === 0) return null;
  return <Note>{parts.join(' · ')}</Note>;
}

const isInstant = /^\d{4}-\d\d-\d\dT/;
