import { Button } from '@mantine/core';
import { IconUsersPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

export function EnrolGroupButton({ group }: { group: string | undefined }) {
  const t = useTranslations('users');
  return (
    <Button
      variant="default"
      leftSection={<IconUsersPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/console/enrolments/group" search={{ group }} {...props} />}
    >
      {t('enrolGroup')}
    </Button>
  );
}
