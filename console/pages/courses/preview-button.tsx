import { Button, type ButtonProps, Stack, VisuallyHidden } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { External, FailedAction } from '../../parts/states.tsx';

type PreviewProps = { courseId: string; release?: number; button?: ButtonProps };

function usePreviewLink({ courseId, release }: PreviewProps): () => Promise<string> {
  const { client } = useApi();
  const { Role } = useSession();
  const params = { path: { CourseID: courseId } };
  return async () => {
    const body = release === undefined ? {} : { Release: release };
    const { data, error } =
      Role === 'operator'
        ? await client.POST('/course/{CourseID}/preview', { params, body })
        : await client.POST('/catalogue/course/{CourseID}/preview', { params });
    if (!data) throw error;
    return data.PreviewURL;
  };
}

/** Plays the course in a new tab as a learner sees it; nothing is recorded. */
export function PreviewButton(props: PreviewProps) {
  const t = useTranslations('courses');
  const link = usePreviewLink(props);
  const [blocked, setBlocked] = useState<string | null>(null);
  const opening = useAction(async (tab: Window | null) => {
    try {
      const address = await link();
      if (!tab) return setBlocked(address);
      tab.opener = null;
      tab.location.replace(address);
    } catch (error) {
      tab?.close();
      throw error;
    }
  });
  // Opens the tab during the click, because the browser would block a pop-up that opens later.
  const open = () => void opening.run(window.open('about:blank', '_blank'));
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={opening.isRunning}
        {...props.button}
        onClick={open}
      >
        {t('preview')}
        {props.release !== undefined && (
          <VisuallyHidden>{` ${t('releases.number', { number: props.release })}`}</VisuallyHidden>
        )}
      </Button>
      {blocked !== null && <External href={blocked}>{t('previewBlocked')}</External>}
      <FailedAction error={opening.error} />
    </Stack>
  );
}
