import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { type Choice, SearchSelect } from '../../parts/search-select.tsx';

type Props = {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  required?: boolean;
  className?: string;
  label?: string;
};

const searching = (Search: string) => ({ Limit: 20, ...(Search ? { Search } : {}) });

const choiceOf = (value: string, name: string): Choice =>
  name === value ? { value, label: value } : { value, label: name, text: value };

export function LearnerPicker(props: Props) {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const [sought, setSought] = useState('');
  const found = $api.useQuery('get', '/user', { params: { query: searching(sought) } });
  return (
    <SearchSelect
      label={t('learner')}
      placeholder={t('findLearner')}
      choices={found.data?.Items.map((user) => choiceOf(user.LoginID, nameOf(user))) ?? []}
      onSearch={setSought}
      isFetching={found.isFetching}
      {...props}
    />
  );
}

export function CoursePicker(props: Props) {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const [sought, setSought] = useState('');
  const found = $api.useQuery('get', '/catalogue/course', { params: { query: searching(sought) } });
  return (
    <SearchSelect
      label={t('course')}
      placeholder={t('findCourse')}
      choices={found.data?.Items.map(({ CourseID, Title }) => choiceOf(CourseID, Title)) ?? []}
      onSearch={setSought}
      isFetching={found.isFetching}
      {...props}
    />
  );
}
