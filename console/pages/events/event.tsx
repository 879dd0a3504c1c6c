import { Anchor, Group, Modal, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Json } from '../../parts/json.tsx';
import { Copyable, CopyTextButton, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { ListedUser } from '../users/person.tsx';
import type { Event } from './record.ts';
import { SentTo } from './sent-to.tsx';

type Props = { event: Event | null; onClose: () => void };

/** Shows one complete event: the person it concerns, its content and its destinations. */
export function EventDialog({ event, onClose }: Props) {
  const t = useTranslations('events');
  return (
    <Modal
      opened={event !== null}
      onClose={onClose}
      title={event ? t(`types.${event.Type}`) : ''}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {event && <Details event={event} />}
    </Modal>
  );
}

function Details({ event }: { event: Event }) {
  const t = useTranslations('events');
  const { EventID, Type, OccurredAt, LoginID, EnrollID, CourseID } = event;
  return (
    <Stack>
      <LabelledValues>
        <LabelledValue label={t('type')}>{Type}</LabelledValue>
        <LabelledValue label={t('at')}>
          <Instant at={OccurredAt} />
        </LabelledValue>
        <LabelledValue label={t('learner')}>
          <ListedUser loginId={LoginID} />
        </LabelledValue>
        <LabelledValue label={t('course')}>
          {CourseID === null ? (
            '–'
          ) : (
            <Anchor
              className="break"
              renderRoot={(props) => (
                <Link to="/console/courses/$courseId" params={{ courseId: CourseID }} {...props} />
              )}
            >
              {CourseID}
            </Anchor>
          )}
        </LabelledValue>
        {LoginID !== null && EnrollID !== null && (
          <LabelledValue label={t('enrolment')}>
            <Anchor
              renderRoot={(props) => (
                <Link
                  to="/console/enrolments/$loginId/$enrollId"
                  params={{ loginId: LoginID, enrollId: EnrollID }}
                  {...props}
                />
              )}
            >
              {t('openEnrolment')}
            </Anchor>
          </LabelledValue>
        )}
        <LabelledValue label={t('id')}>
          <Copyable value={EventID} label={t('id')} />
        </LabelledValue>
      </LabelledValues>
      <SentTo eventId={EventID} />
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t('json')}
        </Title>
        <Json value={event} label={t('json')} />
        <Group>
          <CopyTextButton value={JSON.stringify(event, null, 2)} text={t('copyJson')} />
        </Group>
      </Stack>
    </Stack>
  );
}
