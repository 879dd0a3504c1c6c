import '@mantine/core/styles/Drawer.layer.css';
import { Alert, Anchor, Button, Drawer, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Copyable, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { CourseLink } from '../courses/values.tsx';
import { UserName } from '../users/person.tsx';
import type { InitialKeys } from './new-keys.tsx';
import { CourseName, type EnrolmentKey, Holder, KeyStatusBadge, StatusText, useOffered } from './values.tsx';

type Props = {
  /** Undefined if the drawer is closed. */
  keyId: string | undefined;
  onClose: () => void;
  onMakeAnother: (like: InitialKeys) => void;
};

/** Shows one key: what it grants, who has redeemed it, and when it expires. */
export function KeyDrawer({ keyId, onClose, onMakeAnother }: Props) {
  const t = useTranslations('keys');
  const act = useTranslations('act');
  const { $api } = useApi();
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/enrolment/key/{Key}',
    { params: { path: { Key: keyId ?? '' } } },
    { enabled: keyId !== undefined },
  );
  return (
    <Drawer.Root opened={keyId !== undefined} onClose={onClose} position="right" size="lg">
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Body p="xl">
          <Group justify="space-between" wrap="nowrap" mb="md">
            <Drawer.Title fz="xl" fw={650}>
              {data ? t('keyOf', { start: data.KeyStart }) : t('key')}
            </Drawer.Title>
            <Drawer.CloseButton aria-label={act('close')} />
          </Group>
          {error && <Failed error={error} onRetry={refetch} />}
          {!error && !data && <WaitingRows rows={4} />}
          {data && <OneKey enrolmentKey={data} onMakeAnother={onMakeAnother} />}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function OneKey({
  enrolmentKey,
  onMakeAnother,
}: {
  enrolmentKey: EnrolmentKey;
  onMakeAnother: (like: InitialKeys) => void;
}) {
  const t = useTranslations('keys');
  return (
    <Stack gap="lg">
      <Stack gap={4} align="flex-start">
        <KeyStatusBadge status={enrolmentKey.Status} />
        {enrolmentKey.Status !== 'redeemed' && <StatusText enrolmentKey={enrolmentKey} />}
      </Stack>
      <Stack gap="xs" component="section" aria-labelledby="key-courses">
        <Title order={3} size="h5" id="key-courses">
          {t('courses')}
        </Title>
        <List spacing="xs">
          {enrolmentKey.CourseIDs.map((courseId, at) => (
            <List.Item key={courseId}>
              <CourseAndOption courseId={courseId} durationId={enrolmentKey.DurationIDs[at] ?? ''} />
            </List.Item>
          ))}
        </List>
      </Stack>
      {enrolmentKey.RedeemedBy !== null && (
        <Redemption enrolmentKey={enrolmentKey} loginId={enrolmentKey.RedeemedBy} />
      )}
      <LabelledValues>
        <LabelledValue label={t('for')}>
          <Holder enrolmentKey={enrolmentKey} />
        </LabelledValue>
        {enrolmentKey.LoginID !== null && enrolmentKey.Group !== null && (
          <LabelledValue label={t('group')}>{enrolmentKey.Group}</LabelledValue>
        )}
        <LabelledValue label={t('purchaseOrder')}>{enrolmentKey.PurchaseOrder ?? '–'}</LabelledValue>
        <LabelledValue label={t('validFrom')}>
          <Instant at={enrolmentKey.ValidFrom} />
        </LabelledValue>
        <LabelledValue label={t('validUntil')}>
          <Instant at={enrolmentKey.ValidUntil} />
        </LabelledValue>
        <LabelledValue label={t('created')}>
          <Instant at={enrolmentKey.CreatedAt} />
        </LabelledValue>
        {enrolmentKey.RevokedAt !== null && (
          <LabelledValue label={t('statuses.revoked')}>
            <Instant at={enrolmentKey.RevokedAt} />
          </LabelledValue>
        )}
        <LabelledValue label="KeyID">
          <Copyable value={enrolmentKey.KeyID} label="KeyID" />
        </LabelledValue>
      </LabelledValues>
      <KeyActions enrolmentKey={enrolmentKey} onMakeAnother={onMakeAnother} />
    </Stack>
  );
}

function CourseAndOption({ courseId, durationId }: { courseId: string; durationId: string }) {
  const { course } = useOffered(courseId);
  const option = course?.AvailableEnrolOptions.find(({ DurationID }) => DurationID === durationId);
  return (
    <Text size="sm" component="div">
      <CourseLink courseId={courseId}>
        <CourseName courseId={courseId} />
      </CourseLink>
      <Text size="xs" c="dimmed" className="break">
        {option?.Name ?? durationId}
      </Text>
    </Text>
  );
}

/** Who has redeemed the key, and the results. */
function Redemption({ enrolmentKey, loginId }: { enrolmentKey: EnrolmentKey; loginId: string }) {
  const t = useTranslations('keys');
  return (
    <Stack gap="xs" component="section" aria-labelledby="key-use">
      <Title order={3} size="h5" id="key-use">
        {t('redeemedBy')}
      </Title>
      <Text size="sm" component="div">
        <UserName loginId={loginId} />
        <Text size="xs" c="dimmed">
          <Instant at={enrolmentKey.RedeemedAt} />
        </Text>
      </Text>
      <List spacing={4} size="sm">
        {enrolmentKey.EnrollIDs.map((enrollId, at) => (
          <List.Item key={enrollId}>
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  to="/console/enrolments/$loginId/$enrollId"
                  params={{ loginId, enrollId }}
                  search={{}}
                  {...props}
                />
              )}
            >
              {t.rich('enrolmentOn', {
                course: () => <CourseName courseId={enrolmentKey.CourseIDs[at] ?? enrollId} />,
              })}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function KeyActions({
  enrolmentKey,
  onMakeAnother,
}: {
  enrolmentKey: EnrolmentKey;
  onMakeAnother: (like: InitialKeys) => void;
}) {
  const t = useTranslations('keys');
  const { client } = useApi();
  const queries = useQueryClient();
  const revoke = async () => {
    const { error } = await client.DELETE('/enrolment/key/{Key}', {
      params: { path: { Key: enrolmentKey.KeyID } },
    });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(t('revoke.done'));
  };
  const isOpen = enrolmentKey.Status === 'available' || enrolmentKey.Status === 'scheduled';
  return (
    <Stack gap="md">
      <Alert color="gray" variant="light">
        {t(enrolmentKey.Status === 'redeemed' ? 'redeemedText' : isOpen ? 'lostText' : 'overText')}
      </Alert>
      <Group gap="sm">
        {isOpen && (
          <ConfirmButton
            text={t('revoke.button')}
            title={t('revoke.title', { start: enrolmentKey.KeyStart })}
            question={t('revoke.text')}
            confirm={t('revoke.button')}
            isDangerous
            act={revoke}
            button={{ variant: 'light', color: 'red' }}
          />
        )}
        <Button variant="default" onClick={() => onMakeAnother({ key: enrolmentKey })}>
          {t('makeAnother')}
        </Button>
      </Group>
    </Stack>
  );
}
