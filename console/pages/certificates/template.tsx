import { Anchor, Group, NativeSelect, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { toFailure } from '../../api/problem.ts';
import { useSession } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { PageForm } from '../../parts/page-form.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Rule, Template } from './record.ts';
import { Signatures } from './signatures.tsx';
import { type Language, TextFields } from './texts.tsx';

const Preview = lazy(() => import('./preview.tsx'));

const fresh: Rule = {
  ...{ On: null, ValidFor: null, ValidTo: null, Title: null, Text: null },
  ...{ Layout: 'classic', PaperSize: 'A4', Signatures: [], Serial: null },
};
const results = ['passed', 'completed'] as const;
const layouts = ['classic', 'modern'] as const;
const papers = ['A4', 'Letter'] as const;
const terms = ['none', 'period', 'day'] as const;
const pause = 600;

/** The tenant's own certificates for a course. */
export function CertificateTemplate({ courseId }: { courseId: string }) {
  const { $api } = useApi();
  const params = { path: { CourseID: courseId } };
  const asked = $api.useQuery(
    'get',
    '/certificate/template/{CourseID}',
    { params },
    { retry: (_, thrown) => toFailure(thrown).status >= 500 },
  );
  if (asked.data) return <Form key={asked.data.UpdatedAt} courseId={courseId} template={asked.data} />;
  if (toFailure(asked.error).code === 'template_not_found')
    return <Form key="none" courseId={courseId} template={null} />;
  return asked.error ? <Failed error={asked.error} onRetry={asked.refetch} /> : <WaitingRows />;
}

function Form({ courseId, template }: { courseId: string; template: Template | null }) {
  const t = useTranslations('certificates.template');
  const { client } = useApi();
  const { Scopes } = useSession();
  const { $api } = useApi();
  const own = $api.useQuery('get', '/settings').data?.Language ?? 'en';
  const [chosen, setChosen] = useState<Language | null>(null);
  const language = chosen ?? own;
  const queries = useQueryClient();
  const [change, setChange] = useState<Partial<Rule>>({});
  const now: Rule = { ...fresh, ...template, ...change };
  // A new template begins with what the course says, so only what was changed is sent.
  const sent = template ? now : change;
  const isSigned = ({ Name }: Rule['Signatures'][number]) => Name.trim() !== '';
  const complete = { ...sent, ...(sent.Signatures && { Signatures: sent.Signatures.filter(isSigned) }) };
  const [shown] = useDebouncedValue(JSON.stringify(complete), pause);
  const set = (changed: Partial<Rule>) => setChange((before) => ({ ...before, ...changed }));
  const params = { path: { CourseID: courseId } };
  const save = async () => {
    const { CourseID: _, UpdatedAt: __, ...body } = { CourseID: null, UpdatedAt: null, ...sent };
    await dataOf(client.PUT('/certificate/template/{CourseID}', { params, body }));
    setChange({});
  };
  const isChanged = Object.keys(change).length > 0;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <PageForm
        texts={t}
        isAllowed={Scopes.includes('certificates:write')}
        isChanged={isChanged}
        missing={!now.Signatures.every(isSigned) && t('signer')}
        save={save}
        onUndo={() => setChange({})}
        actions={
          template && (
            <>
              {template.On !== null && !isChanged && <IssueEarlier courseId={courseId} />}
              <ConfirmButton
                text={t('remove')}
                title={t('removeTitle')}
                question={t('removeText')}
                confirm={t('remove')}
                isDangerous
                act={async () => {
                  await dataOf(client.DELETE('/certificate/template/{CourseID}', { params }));
                  await queries.invalidateQueries();
                }}
              />
            </>
          )
        }
      >
        <Text size="sm" c="dimmed">
          {t(template ? 'text' : 'inherits')}
        </Text>
        <Anchor
          size="sm"
          w="fit-content"
          renderRoot={(props) => (
            <Link to="/console/certificates" search={{ course: courseId } as never} {...props} />
          )}
        >
          {t('issued')}
        </Anchor>
        <Fields
          {...{ now, set, language }}
          followsCourse={(name) => !template && !(name in change)}
          onLanguage={setChosen}
        />
      </PageForm>
      <Suspense fallback={<WaitingRows rows={3} />}>
        <Preview courseId={courseId} rule={shown} language={language} />
      </Suspense>
    </SimpleGrid>
  );
}

/** Issues certificates to people who finished before there were any, and says first to how many. */
function IssueEarlier({ courseId }: { courseId: string }) {
  const t = useTranslations('certificates.template');
  const { client } = useApi();
  const queries = useQueryClient();
  const [people, setPeople] = useState<number | null>(null);
  const issue = (Plan: boolean) =>
    dataOf(
      client.POST('/certificate/template/{CourseID}/issue', {
        params: { path: { CourseID: courseId }, query: { Plan } },
      }),
    );
  const count = async () => setPeople((await issue(true)).Certificates);
  return (
    <ConfirmButton
      text={t('earlier')}
      title={t('earlier')}
      question={people === null ? t('earlierCounting') : t('earlierText', { people })}
      confirm={t('earlierSubmit')}
      isReady={people !== null && people > 0}
      onOpen={() => void count()}
      act={async () => {
        const { Certificates } = await issue(false);
        notify(t('earlierDone', { people: Certificates }));
        await queries.invalidateQueries();
      }}
    />
  );
}

type FieldsProps = {
  now: Rule;
  set: (change: Partial<Rule>) => void;
  /** Whether there is no value but that of the course, which tenants cannot read. */
  followsCourse: (name: keyof Rule) => boolean;
  language: Language;
  onLanguage: (language: Language) => void;
};

function Fields({ now, set, followsCourse, language, onLanguage }: FieldsProps) {
  const t = useTranslations('certificates.template');
  const ofCourse = 'course';
  const term = followsCourse('ValidFor')
    ? ofCourse
    : now.ValidFor !== null
      ? 'period'
      : now.ValidTo !== null
        ? 'day'
        : 'none';
  const chooseTerm = (value: string) =>
    set(
      {
        none: { ValidFor: null, ValidTo: null },
        period: { ValidFor: 'P1Y', ValidTo: null },
        day: { ValidFor: null, ValidTo: '12-31' },
      }[choiceOf(terms, value) ?? 'none'],
    );
  return (
    <>
      <NativeSelect
        label={t('on')}
        value={followsCourse('On') ? ofCourse : (now.On ?? '')}
        onChange={({ currentTarget }) => set({ On: choiceOf(results, currentTarget.value) ?? null })}
        data={[
          ...(followsCourse('On') ? [{ value: ofCourse, label: t('onOfCourse') }] : []),
          { value: '', label: t('never') },
          ...results.map((value) => ({ value, label: t(`results.${value}`) })),
        ]}
      />
      <NativeSelect
        label={t('term')}
        value={term}
        onChange={({ currentTarget }) => chooseTerm(currentTarget.value)}
        data={[
          ...(followsCourse('ValidFor') ? [{ value: ofCourse, label: t('termOfCourse') }] : []),
          ...terms.map((value) => ({ value, label: t(`terms.${value}`) })),
        ]}
      />
      {now.ValidFor !== null && (
        <PeriodField
          label={t('validFor')}
          required
          value={now.ValidFor}
          onChange={(ValidFor) => set({ ValidFor })}
        />
      )}
      {now.ValidTo !== null && (
        <TextInput
          label={t('validTo')}
          description={t('validToText')}
          required
          pattern="\d\d-\d\d"
          value={now.ValidTo}
          onChange={(event) => set({ ValidTo: event.currentTarget.value })}
        />
      )}
      <Group grow>
        <NativeSelect
          label={t('layout')}
          value={now.Layout}
          onChange={({ currentTarget }) =>
            set({ Layout: choiceOf(layouts, currentTarget.value) ?? now.Layout })
          }
          data={layouts.map((value) => ({ value, label: t(`layouts.${value}`) }))}
        />
        <NativeSelect
          label={t('paper')}
          value={now.PaperSize}
          onChange={({ currentTarget }) =>
            set({ PaperSize: choiceOf(papers, currentTarget.value) ?? now.PaperSize })
          }
          data={[...papers]}
        />
      </Group>
      <TextFields now={now} set={set} language={language} onLanguage={onLanguage} />
      <TextInput
        label={t('serial')}
        description={t('serialText')}
        maxLength={60}
        value={now.Serial ?? ''}
        onChange={({ currentTarget }) => set({ Serial: currentTarget.value || null })}
      />
      <Signatures signatures={now.Signatures} onChange={(changed) => set({ Signatures: changed })} />
    </>
  );
}
