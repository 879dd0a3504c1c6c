import { Button, List, Stack, Text, Title } from '@mantine/core';
import { IconBook2 } from '@tabler/icons-react';
import { useEffect, useId, useRef } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { nameOf, useSession } from '../../api/session.tsx';
import { useDurationWords } from '../courses/duration-words.ts';
import { KeyFailure } from './key-failure.tsx';
import type { KeyCourse, KeyOffer } from './use-key-check.ts';

/** The courses of a key, each with the access that the learner gets. */
export function KeyCourses({ courses, label }: { courses: readonly KeyCourse[]; label: string }) {
  return (
    <List
      aria-labelledby={label}
      className="key-courses"
      spacing="md"
      icon={<IconBook2 size={20} stroke={1.6} aria-hidden />}
    >
      {courses.map((course) => (
        <List.Item key={course.CourseID}>
          <Text fw={600} className="break">
            {course.CourseTitle}
          </Text>
          <Access course={course} />
        </List.Item>
      ))}
    </List>
  );
}

function Access({ course }: { course: KeyCourse }) {
  const t = useTranslations('redeem.access');
  const format = useFormatter();
  const words = useDurationWords();
  const { Duration, StartsOn, ExpiresAt, effect } = course;
  const day = ExpiresAt === null ? '' : format.dateTime(new Date(ExpiresAt), { dateStyle: 'long' });
  const duration = Duration === null ? '' : words(Duration);
  const sentence = () => {
    if (effect === 'unchanged') return t('unchanged');
    if (effect !== 'new') return t(ExpiresAt === null ? `${effect}Endless` : effect, { day });
    if (Duration === null) return t('unlimited');
    return StartsOn === 'launch' ? t('fromStart', { duration }) : t('until', { duration, day });
  };
  return (
    <Text size="sm" c="dimmed">
      {sentence()}
    </Text>
  );
}

type Props = {
  offer: KeyOffer;
  error: unknown;
  isRunning: boolean;
  onConfirm: () => void;
  onOther: () => void;
};

/** The second step shows what the key grants, and to whom. */
export function ConfirmKey({ offer, error, isRunning, onConfirm, onOther }: Props) {
  const t = useTranslations('redeem');
  const session = useSession();
  const { LoginID, TenantName } = session;
  const heading = useRef<HTMLHeadingElement>(null);
  const [headingId, failureId] = [useId(), useId()];
  useEffect(() => heading.current?.focus(), []);
  const name = nameOf(session);
  return (
    <Stack gap="lg">
      <Title order={2} size="h4" id={headingId} ref={heading} tabIndex={-1} className="page-title">
        {t('gives', { count: offer.courses.length })}
      </Title>
      <KeyCourses courses={offer.courses} label={headingId} />
      <Text size="sm" className="break">
        {t.rich('account', {
          name: name === LoginID ? name : t('accountOf', { name, login: LoginID ?? '' }),
          tenant: TenantName ?? '',
          b: (text) => <b>{text}</b>,
        })}
      </Text>
      <KeyFailure error={error} id={failureId} />
      <Stack gap="sm">
        <Button size="md" fullWidth loading={isRunning} onClick={onConfirm}>
          {t('confirm')}
        </Button>
        <Button variant="subtle" fullWidth onClick={onOther}>
          {t('other')}
        </Button>
      </Stack>
    </Stack>
  );
}
