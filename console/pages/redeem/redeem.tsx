import '../sign-in/sign-in.css';
import './redeem.css';
import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { Message } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { usePageTitle } from '../../shell/branding.tsx';
import { ConfirmKey } from './confirm-key.tsx';
import { KeyForm } from './key-form.tsx';
import { compactKey } from './key-text.ts';
import { type KeyCheck, useKeyCheck } from './use-key-check.ts';

/** Only learners redeem keys. Administrators issue keys, and enrol people directly. */
export default function Redeem() {
  const t = useTranslations('redeem');
  const { Role, Scopes } = useSession();
  if (Role !== 'learner') return <Message isPage title={t('learnersOnly')} text={t('learnersOnlyText')} />;
  if (!Scopes.includes('enrolments:write'))
    return <Message isPage title={t('notAllowed')} text={t('notAllowedText')} />;
  return <RedeemKey />;
}

/** The key is in the URL's fragment. It survives signing in, and browsers do not send it when they request a page. */
function useKeyInAddress() {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const setKey = (key: string) => navigate({ to: '.', hash: key, replace: true, hashScrollIntoView: false });
  return [compactKey(hash), setKey] as const;
}

const alreadyEnrolled = { code: 'already_enrolled', status: 409 };

function RedeemKey() {
  const t = useTranslations('redeem');
  const [key, setKey] = useKeyInAddress();
  const check = useKeyCheck(key);
  const redeeming = useRedemption(key, check);
  usePageTitle(t('title'));
  const offer = check.data;
  const isUseless = offer?.redeemedAt === null && offer.courses.every(({ effect }) => effect === 'unchanged');
  if (offer && offer.redeemedAt !== null) return <AlreadyRedeemed at={offer.redeemedAt} />;
  const submit = (typed: string) => {
    redeeming.reset();
    if (typed === key) void check.refetch();
    else void setKey(typed);
  };
  return (
    <Paper className="sign-in redeem" p={{ base: 'lg', sm: 'xl' }} radius="lg">
      <Stack gap="lg">
        <Stack gap="xs">
          <Anchor size="sm" renderRoot={(props) => <Link to="/console" {...props} />}>
            {t('back')}
          </Anchor>
          <Title order={1} size="h2">
            {t('title')}
          </Title>
        </Stack>
        {offer && !isUseless ? (
          <ConfirmKey
            offer={offer}
            error={redeeming.error}
            isRunning={redeeming.isRunning}
            onConfirm={() => void redeeming.run()}
            onOther={() => submit('')}
          />
        ) : (
          <>
            <Text c="dimmed">{t('text')}</Text>
            <KeyForm
              key={key}
              initial={key}
              error={isUseless ? alreadyEnrolled : check.error}
              isChecking={check.isFetching}
              onKey={submit}
            />
          </>
        )}
      </Stack>
    </Paper>
  );
}

/** Redeems the key and continues with My courses, where the new course can be started. */
function useRedemption(key: string, { data: offer, refetch }: KeyCheck) {
  const t = useTranslations('redeem');
  const { client } = useApi();
  const { LoginID } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useAction(async () => {
    const params = { path: { LoginID: LoginID ?? '', Key: key } };
    const body = { IfEnrolled: offer?.ifEnrolled ?? ('fail' as const) };
    const { data, error } = await client.POST('/enrol/key/{LoginID}/{Key}', { params, body });
    if (!data) {
      // Checks again, because the offer may have changed or the session may have ended.
      await refetch();
      if (toFailure(error).code === 'already_enrolled') return;
      throw error;
    }
    queries.removeQueries();
    await navigate({ to: '/console', replace: true });
    notify(t('done', { count: data.Enrolments.length }));
  });
}

function AlreadyRedeemed({ at }: { at: string }) {
  const t = useTranslations('redeem');
  const format = useFormatter();
  return (
    <Message
      isPage
      icon={<IconCircleCheck size={36} stroke={1.5} aria-hidden />}
      title={t('yours')}
      text={t('yoursText', { day: format.dateTime(new Date(at), { dateStyle: 'long' }) })}
    >
      <Button renderRoot={(props) => <Link to="/console" {...props} />}>{t('toCourses')}</Button>
    </Message>
  );
}
