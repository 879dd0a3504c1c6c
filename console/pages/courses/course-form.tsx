import { Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { choiceOf } from '../../parts/choices.ts';
import { PageForm } from '../../parts/page-form.tsx';
import { RetainField } from '../../parts/retain-field.tsx';
import { CompletionField, hasCompletionRule } from './completion-field.tsx';
import { ImageField } from './image-field.tsx';
import { useLanguageName } from './language.tsx';
import { TenantsField } from './tenants-field.tsx';
import { type AuthoredCourse, statuses } from './values.tsx';

type CourseChange = components['schemas']['CourseChange'];

/** Only changed fields are sent, so that other users' changes are not overwritten. */
function differing(course: AuthoredCourse, typed: CourseChange): CourseChange {
  const names = Object.keys(typed) as (keyof CourseChange)[];
  const differs = (name: keyof CourseChange) => JSON.stringify(typed[name]) !== JSON.stringify(course[name]);
  return Object.fromEntries(names.filter(differs).map((name) => [name, typed[name]]));
}

/** The form for a course's catalogue entry, its content, and the tenants it is offered to. */
export function CourseForm({ course }: { course: AuthoredCourse }) {
  const t = useTranslations('courses');
  const act = useTranslations('act');
  const { client } = useApi();
  const nameOf = useLanguageName();
  const [typed, setTyped] = useState<CourseChange>({});
  const change = differing(course, typed);
  const save = async () => {
    const params = { path: { CourseID: course.CourseID } };
    await dataOf(client.PUT('/course/{CourseID}', { params, body: change }));
    setTyped({});
  };
  const now = { ...course, ...typed };
  const set = (changed: CourseChange) => setTyped((before) => ({ ...before, ...changed }));
  const textOf = (name: 'Title' | 'Description' | 'Language' | 'ImageURL' | 'URL' | 'ActivityID') => ({
    value: now[name] ?? '',
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const { value } = event.currentTarget;
      set({ [name]: value === '' && name !== 'Title' ? null : value });
    },
  });
  return (
    <PageForm
      texts={(name) =>
        name === 'save' ? act(name) : t(name === 'undo' || name === 'saved' ? name : 'unsaved')
      }
      isAllowed
      isChanged={Object.keys(change).length > 0}
      save={save}
      onUndo={() => setTyped({})}
      className="course-form"
      gap="lg"
    >
      <TextInput label={t('fields.title')} required maxLength={500} {...textOf('Title')} />
      <Textarea
        label={t('fields.description')}
        description={t('fields.descriptionText')}
        autosize
        minRows={3}
        maxRows={14}
        maxLength={20_000}
        {...textOf('Description')}
      />
      <TextInput
        label={t('fields.language')}
        description={now.Language ? nameOf(now.Language) : t('fields.languageText')}
        pattern="[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*"
        placeholder="en"
        maw={280}
        {...textOf('Language')}
      />
      <ImageField course={course} field={textOf('ImageURL')} />
      <TextInput
        label={t('fields.url')}
        description={t(course.Release === null ? 'fields.urlText' : 'fields.urlUnused')}
        type="url"
        maxLength={2048}
        {...textOf('URL')}
      />
      <TextInput
        label={t('fields.activity')}
        description={t('fields.activityText')}
        maxLength={1000}
        autoCapitalize="none"
        spellCheck={false}
        {...textOf('ActivityID')}
      />
      {hasCompletionRule(course) && (
        <CompletionField
          value={now.CompleteWhen ?? null}
          onChange={(CompleteWhen) => set({ CompleteWhen })}
        />
      )}
      <Radio.Group
        label={t('fields.status')}
        value={now.Status}
        onChange={(value) => set({ Status: choiceOf(statuses, value) ?? now.Status })}
      >
        <Stack gap="sm" mt="xs">
          {statuses.map((status) => (
            <Radio
              key={status}
              value={status}
              label={t(`statuses.${status}`)}
              description={t(`meanings.${status}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <TenantsField value={now.Tenants} onChange={(Tenants) => set({ Tenants })} />
      <Switch
        label={t('fields.requireSignIn')}
        description={t('fields.requireSignInText')}
        checked={now.RequireSignIn}
        onChange={(event) => set({ RequireSignIn: event.currentTarget.checked })}
      />
      <RetainField
        label={t('fields.retain')}
        description={t('fields.retainText')}
        value={now.RetainYears ?? null}
        onChange={(RetainYears) => set({ RetainYears })}
      />
    </PageForm>
  );
}
