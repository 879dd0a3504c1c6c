import { Button, TextInput } from '@mantine/core';
import { IconWorld } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { IdField } from '../../parts/id-field.tsx';
import { idOf } from '../../parts/id-of.ts';
import { findCourse } from './import-package.ts';

const nothing = { title: '', url: '', courseId: '' };

/** Creates a course that is a web page, so there is nothing to import. */
export function WebCourseButton() {
  const t = useTranslations('courses.web');
  const api = useApi();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState(nothing);
  const set = (change: Partial<typeof nothing>) => setTyped((before) => ({ ...before, ...change }));
  const courseId = typed.courseId || idOf(typed.title);
  const close = () => {
    setOpen(false);
    setTyped(nothing);
  };
  const create = async () => {
    // PUT would overwrite an existing course.
    if (await findCourse(api, courseId))
      throw { code: 'course_exists', title: t('takenTitle'), detail: t('taken') };
    const { error } = await api.client.PUT('/course/{CourseID}', {
      params: { path: { CourseID: courseId } },
      body: { Title: typed.title, URL: typed.url, Status: 'draft' },
    });
    if (error) throw error;
    await navigate({ to: '/console/courses/$courseId', params: { courseId } });
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconWorld size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('button')}
      </Button>
      <FormDialog
        title={t('heading')}
        isOpen={isOpen}
        onClose={close}
        submit={t('create')}
        onSubmit={create}
        isDirty={typed.title !== '' || typed.url !== '' || typed.courseId !== ''}
      >
        <TextInput
          label={t('title')}
          required
          maxLength={500}
          value={typed.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
        <TextInput
          label={t('url')}
          description={t('urlText')}
          required
          type="url"
          maxLength={2048}
          placeholder="https://"
          value={typed.url}
          onChange={(event) => set({ url: event.currentTarget.value })}
        />
        <IdField
          label={t('courseId')}
          description={t('courseIdText')}
          value={courseId}
          onChange={(courseId) => set({ courseId })}
        />
      </FormDialog>
    </>
  );
}
