import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { type Choice, SearchMultiSelect, SearchSelect } from '../../parts/search-select.tsx';
import { useFoundCourses } from '../courses/find-offered.ts';

type Props = {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  required?: boolean;
  className?: string;
  label?: string;
};

type MultiProps = {
  values: readonly string[];
  onChange: (values: string[]) => void;
  max?: number;
  label?: string;
};

const searching = (Search: string) => ({ Limit: 20, ...(Search ? { Search } : {}) });

const choiceOf = (value: string, name: string): Choice =>
  name === value ? { value, label: value } : { value, label: name, text: value };

function useLearners() {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const [sought, onSearch] = useState('');
  const { data, isFetching } = $api.useQuery('get', '/user', { params: { query: searching(sought) } });
  const choices = data?.Items.map((user) => choiceOf(user.LoginID, nameOf(user))) ?? [];
  return { choices, onSearch, isFetching, label: t('learner'), placeholder: t('findLearner') };
}

function useCourses(chosen: readonly string[], isAuthor = false) {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const [sought, onSearch] = useState('');
  const params = { params: { query: searching(sought) } };
  const all = $api.useQuery('get', '/course', params, { enabled: isAuthor });
  const offered = $api.useQuery('get', '/catalogue/course', params, { enabled: !isAuthor });
  const { data, isFetching } = isAuthor ? all : offered;
  const items: readonly { CourseID: string; Title: string }[] = data?.Items ?? [];
  const choices = items.map(({ CourseID, Title }) => choiceOf(CourseID, Title));
  const names = new Map(
    useFoundCourses(chosen, isAuthor).map(({ CourseID, Title }) => [CourseID, Title] as const),
  );
  return { choices, names, onSearch, isFetching, label: t('course'), placeholder: t('findCourse') };
}

export function LearnerPicker(props: Props) {
  return <SearchSelect {...useLearners()} {...props} />;
}

export function LearnersPicker(props: MultiProps) {
  const t = useTranslations('enrol');
  return <SearchMultiSelect {...useLearners()} label={t('people')} {...props} />;
}

export function CoursePicker(props: Props) {
  return <SearchSelect {...useCourses(props.value === undefined ? [] : [props.value])} {...props} />;
}

/** Authors choose among all courses, including drafts. */
export function CoursesPicker({ isAuthor, ...props }: MultiProps & { isAuthor?: boolean }) {
  const t = useTranslations('enrol');
  return <SearchMultiSelect {...useCourses(props.values, isAuthor)} label={t('courses')} {...props} />;
}
