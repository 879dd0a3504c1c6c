import { Alert, Anchor, Button, Center, Code, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { type Failure, isSignedOut, toFailure } from '../api/problem.ts';
import { usePageTitle } from '../shell/branding.tsx';
import { useFailureText } from './failure-text.ts';

/** Placeholder for a page while it loads: a heading and rows, or a form as narrow as the sign-in page. */
export function Waiting({ isForm = false }: { isForm?: boolean }) {
  return (
    <Stack gap="lg" {...(isForm && { maw: 408, mx: 'auto', pt: '8vh' })}>
      <Skeleton height={34} width="60%" maw={288} />
      <WaitingRows rows={isForm ? 3 : 6} />
    </Stack>
  );
}

/** Placeholder rows while a list loads. */
export function WaitingRows({ rows = 6 }: { rows?: number }) {
  const t = useTranslations('states');
  return (
    <Stack gap="sm" py="sm" role="status" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, row) => `row ${row}`).map((key) => (
        <Skeleton key={key} height={34} />
      ))}
    </Stack>
  );
}

type MessageProps = {
  title: string;
  text?: ReactNode;
  children?: ReactNode;
  icon?: ReactNode;
  /** Set if the message is the whole page. Its title is then also the title of the browser tab. */
  isPage?: boolean;
};

/** A page or section without content, with the reason and what to do. */
export function Message(props: MessageProps) {
  usePageTitle(props.isPage ? props.title : '');
  return (
    <Center mih="16rem" p="lg">
      <Stack align="center" gap="xs" maw={460} ta="center">
        {props.icon}
        <Title order={props.isPage ? 1 : 2} size="h4">
          {props.title}
        </Title>
        {props.text !== undefined && (
          <Text c="dimmed" component="div">
            {props.text}
          </Text>
        )}
        {props.children !== undefined && <Stack mt="sm">{props.children}</Stack>}
      </Stack>
    </Center>
  );
}

type NoneFoundProps = { title: string; text: string; onShowAll: () => void; children?: ReactNode };

/** A list without matches, with a link that clears the filters. */
export function NoneFound({ title, text, onShowAll, children }: NoneFoundProps) {
  const t = useTranslations('list');
  return (
    <Message title={title} text={text}>
      {children}
      <Button variant="default" onClick={onShowAll}>
        {t('showAll')}
      </Button>
    </Message>
  );
}

type FailedProps = { error: unknown; onRetry?: () => unknown; isPage?: boolean };

/** An error that affects a page or part of it. */
export function Failed({ error, onRetry, isPage = false }: FailedProps) {
  const t = useTranslations('states');
  const failure = toFailure(error);
  const text = useFailureText(failure);
  const canRetry = onRetry && (failure.status === 0 || failure.status >= 429);
  return (
    <Message
      icon={<IconAlertTriangle size={36} stroke={1.5} color="var(--mantine-color-error)" aria-hidden />}
      isPage={isPage}
      title={text.title}
      text={
        <>
          {text.detail}
          <RequestId failure={failure} />
        </>
      }
    >
      {canRetry && (
        <Button variant="default" onClick={() => onRetry()}>
          {t('retry')}
        </Button>
      )}
    </Message>
  );
}

type UnreadyProps = { query: { error: unknown; refetch: () => unknown }; rows?: number };

/** In place of data that a query does not have yet: placeholders, or its error. */
export function Unready({ query: { error, refetch }, rows = 6 }: UnreadyProps) {
  return error ? <Failed error={error} onRetry={() => refetch()} /> : <WaitingRows rows={rows} />;
}

/** An error caused by a user action, shown next to its button. */
export function FailedAction({ error }: { error: unknown }) {
  const failures = useTranslations('failures');
  const failure = toFailure(error);
  const text = useFailureText(failure);
  const scroll = (alert: HTMLElement | null) => alert?.scrollIntoView({ block: 'nearest' });
  if (!error) return null;
  return (
    <Alert
      ref={scroll}
      color="red"
      variant="light"
      role="alert"
      title={text.title}
      icon={<IconAlertTriangle size={18} aria-hidden />}
    >
      {text.detail}
      {isSignedOut(error) && (
        <Anchor display="block" mt={4} inherit href="/console" target="_blank">
          {failures('signIn')}
        </Anchor>
      )}
      <RequestId failure={failure} />
    </Alert>
  );
}

function RequestId({ failure }: { failure: Failure }) {
  const t = useTranslations('states');
  if (failure.status < 500 || failure.requestId === null) return null;
  return (
    <Text size="xs" mt={4}>
      {t('requestId')} <Code>{failure.requestId}</Code>
    </Text>
  );
}

/** A link to a page outside the console's routes. */
export function External({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  );
}
