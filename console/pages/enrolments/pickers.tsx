import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { type Choice, SearchMultiSelect, SearchSelect } from '../../parts/search-select.tsx';

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

function useCourses() {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const [sought, onSearch] = useState('');
  const query = searching(sought);
  const { data, isFetching } = $api.useQuery('get', '/catalogue/course', { params: { query } });
  const choices = data?.Items.map(({ CourseID, Title }) => choiceOf(CourseID, Title)) ?? [];
  return { choices, onSearch, isFetching, label: t('course'), placeholder: t('findCourse') };
}

export function LearnerPicker(props: Props) {
  return <SearchSelect {...useLearners()} {...props} />;
}

export function LearnersPicker(props: MultiProps) {
  const t = useTranslations('enrol');
  return <SearchMultiSelect {...useLearners()} label={t('people')} {...props} />;
}

export function CoursePicker(props: Props) {
  return <SearchSelect {...useCourses()} {...props} />;
}

export function CoursesPicker(props: MultiProps) {
  const t = useTranslations('enrol');
  return <SearchMultiSelect {...useCourses()} label={t('courses')} {...props} />;
}
