import { Alert, Anchor, Button, Stack } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { CopyTextButton, OutcomeBadge } from '../../parts/values.tsx';
import { UserLink, useName } from '../users/person.tsx';
import { Answers } from './answers.tsx';
import { Attempts } from './attempts.tsx';
import { Deliveries } from './deliveries.tsx';
import { type Dialog, Dialogs, EnrolmentMenu } from './enrolment-menu.tsx';
import './enrolments.css';
import { LaunchCheck } from './launch-check.tsx';
import { Details, Result } from './result.tsx';
import { Timeline } from './timeline.tsx';
import type { Enrolment } from './values.tsx';

export default function OneEnrolment() {
  const { loginId, enrollId } = useParams({ from: '/console/enrolments/$loginId/$enrollId' });
  const t = useTranslations('enrolments');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const { data, error, refetch } = $api.useQuery('get', '/enrolment/{LoginID}/{EnrollID}', {
    params: { path: { LoginID: loginId, EnrollID: enrollId } },
  });
  const back = { to: '/console/enrolments', text: shell('pages.enrolments') } as const;
  // The key remounts the page for another enrolment, so no dialog stays open.
  if (data) return <Shown key={data.EnrollID} enrolment={data} back={back} />;
  return (
    <Page title={t('one')} back={back}>
      {error ? <Failed error={error} onRetry={refetch} /> : <WaitingRows />}
    </Page>
  );
}

type ShownProps = { enrolment: Enrolment; back: { to: '/console/enrolments'; text: string } };

function Shown({ enrolment, back }: ShownProps) {
  const t = useTranslations('enrolments');
  const name = useName(enrolment.LoginID);
  const [dialog, setDialog] = useState<Dialog>(null);
  const offer = useOffer(enrolment);
  const newer =
    offer?.EnrollID && offer.EnrollID !== enrolment.EnrollID ? { enrollId: offer.EnrollID } : null;
  const option = newer
    ? undefined
    : offer?.AvailableEnrolOptions.find(({ DurationID }) => DurationID === enrolment.DurationID);
  return (
    <Page
      title={enrolment.CourseTitle}
      back={back}
      badge={<OutcomeBadge outcome={enrolment.Outcome} />}
      text={t.rich('of', {
        name,
        link: (text) => (
          <UserLink isInText loginId={enrolment.LoginID}>
            {text}
          </UserLink>
        ),
      })}
      actions={
        <>
          <EnrolmentMenu onChoose={setDialog} />
          <Button variant="default" onClick={() => setDialog('access')}>
            {t('access.button')}
          </Button>
          {enrolment.LaunchURL !== null && (
            <CopyTextButton value={enrolment.LaunchURL} text={t('copyLaunchLink')} />
          )}
        </>
      }
    >
      {newer && (
        <Alert color="blue" variant="light" title={t('newer.title', { name })}>
          <Stack gap="xs" align="flex-start">
            {t('newer.text')}
            <Anchor
              renderRoot={(props) => (
                <Link
                  to="/console/enrolments/$loginId/$enrollId"
                  params={{ loginId: enrolment.LoginID, ...newer }}
                  {...props}
                />
              )}
            >
              {t('newer.open')}
            </Anchor>
          </Stack>
        </Alert>
      )}
      <LaunchCheck
        enrolment={enrolment}
        name={name}
        option={option}
        isReplaced={newer !== null}
        onSetEnd={() => setDialog('access')}
        onReset={() => setDialog('reset')}
      />
      <Result enrolment={enrolment} onOverride={() => setDialog('override')} />
      <Attempts enrolment={enrolment} />
      <Answers enrolment={enrolment} />
      <Details enrolment={enrolment} onEdit={() => setDialog('details')} />
      <Timeline enrolment={enrolment} />
      <Deliveries enrolment={enrolment} />
      <Dialogs enrolment={enrolment} name={name} dialog={dialog} onClose={() => setDialog(null)} />
    </Page>
  );
}

/** The course as it is offered to this learner. Undefined if it is no longer offered. */
function useOffer({ CourseID, LoginID }: Enrolment) {
  const { $api } = useApi();
  const path = { CourseID, LoginID };
  return $api.useQuery('get', '/catalogue/course/{CourseID}/{LoginID}', { params: { path } }).data;
}
