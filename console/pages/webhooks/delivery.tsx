import { Button, type ButtonProps, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { Json } from '../../parts/json.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Copyable, CopyTextButton, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { type Delivery, DeliveryBadge } from './delivery-status.tsx';
import type { Endpoint } from './health.tsx';
import { useReplay } from './replay.tsx';

type SendAgainProps = { endpoint: Endpoint; delivery: Delivery; size?: ButtonProps['size'] };

/**
 * Hidden for pings, because they are not in the event log. Also hidden for pending deliveries, because they are retried
 * automatically and would block a replay.
 */
export function SendAgain({ endpoint, delivery, size = 'sm' }: SendAgainProps) {
  const t = useTranslations('webhooks');
  const replay = useReplay(endpoint);
  const sending = useAction(() => replay({ EventIDs: [delivery.EventID] }));
  if (delivery.Reason === 'ping' || delivery.Status === 'pending') return null;
  return (
    <>
      <Button size={size} variant="light" loading={sending.isRunning} onClick={() => sending.run()}>
        {t('sendAgain')}
      </Button>
      <FailedAction error={sending.error} />
    </>
  );
}

type Props = { endpoint: Endpoint; delivery: Delivery | null; onClose: () => void };

/** Shows one complete delivery: the last request and its response. */
export function DeliveryDialog({ endpoint, delivery, onClose }: Props) {
  const t = useTranslations('webhooks');
  return (
    <Modal
      opened={delivery !== null}
      onClose={onClose}
      title={t('deliveryTitle', { type: delivery?.Type ?? '' })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {delivery && <DeliveryDetails endpoint={endpoint} delivery={delivery} />}
    </Modal>
  );
}

function DeliveryDetails({ endpoint, delivery }: { endpoint: Endpoint; delivery: Delivery }) {
  const t = useTranslations('webhooks');
  const { Request, Answer, Milliseconds } = delivery;
  return (
    <Stack>
      <LabelledValues>
        <LabelledValue label={t('status')}>
          <DeliveryBadge delivery={delivery} />
        </LabelledValue>
        <LabelledValue label={t('attempts')}>{delivery.Attempts}</LabelledValue>
        <LabelledValue label="webhook-id">
          <Copyable value={delivery.EventID} label="webhook-id" />
        </LabelledValue>
        <LabelledValue label={t('attempted')}>
          <Instant at={delivery.AttemptedAt} />
        </LabelledValue>
        <LabelledValue label={t('next')}>
          <Instant at={delivery.NextAttemptAt} none={t('noNext')} />
        </LabelledValue>
      </LabelledValues>
      {delivery.Error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {delivery.Error}
        </Text>
      )}
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t('answer')}
        </Title>
        <Text size="sm" c="dimmed">
          {Answer
            ? t('answered', { status: String(Answer.Status), milliseconds: Milliseconds ?? 0 })
            : t('noResponse')}
        </Text>
        {Answer?.Body && <Json value={Answer.Body} label={t('responseBody')} />}
      </Stack>
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t('request')}
        </Title>
        {Request ? (
          <>
            <Text size="sm" c="dimmed" className="break">
              {t('posted', { url: Request.URL })}
            </Text>
            <Json value={Request.Body} label={t('requestBody')} />
            <Group>
              <CopyTextButton value={JSON.stringify(Request.Body, null, 2)} text={t('copyBody')} />
            </Group>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {t('notSent')}
          </Text>
        )}
      </Stack>
      <Group justify="flex-end">
        <SendAgain endpoint={endpoint} delivery={delivery} />
      </Group>
    </Stack>
  );
}
