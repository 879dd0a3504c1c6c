import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import { IconZoomIn } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FailedAction, WaitingRows } from '../../parts/states.tsx';
import type { Language } from './texts.tsx';

GlobalWorkerOptions.workerSrc = workerAddress;

/** Sharp enough for a screen with two pixels per point. */
const shownWidth = 1_200;

type Props = { courseId: string; rule: string; language: Language };

/** The certificate as it would be drawn, with the longest name of the tenant. */
export default function Preview({ courseId, rule, language }: Props) {
  const t = useTranslations('certificates.template');
  const { headers } = useApi();
  const act = useTranslations('act');
  const [isLarge, setLarge] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['certificate preview', courseId, rule, language],
    queryFn: async ({ signal }) => {
      const { CourseID: _, UpdatedAt: __, ...body } = JSON.parse(rule);
      const path = `/certificate/template/${encodeURIComponent(courseId)}/preview?Language=${language}`;
      const response = await fetch(path, {
        method: 'POST',
        signal,
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw await response.json();
      return new Uint8Array(await response.arrayBuffer());
    },
    retry: false,
  });
  // The last drawing stays while another one is asked for, and beside the error if it cannot be drawn.
  const [drawn, setDrawn] = useState(data);
  if (data && data !== drawn) setDrawn(data);
  return (
    <Stack gap="xs" className="certificate-preview">
      <FailedAction error={error} />
      {!drawn && !error && <WaitingRows rows={4} />}
      {drawn && (
        <Paper withBorder>
          <Drawing pdf={drawn} label={t('preview')} />
        </Paper>
      )}
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {t('previewText')}
        </Text>
        {drawn && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconZoomIn size={14} aria-hidden />}
            onClick={() => setLarge(true)}
            flex="none"
          >
            {t('enlarge')}
          </Button>
        )}
      </Group>
      <Modal
        opened={isLarge}
        onClose={() => setLarge(false)}
        title={t('preview')}
        fullScreen
        closeButtonProps={{ 'aria-label': act('close') }}
      >
        {drawn && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that keyboards must reach it.
          <section className="certificate-large" tabIndex={0} aria-label={t('preview')}>
            <Drawing pdf={drawn} label={t('preview')} />
          </section>
        )}
      </Modal>
    </Stack>
  );
}

/** The first page of a PDF. */
function Drawing({ pdf, label }: { pdf: Uint8Array; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    // The worker takes the bytes over, so that they could not be drawn again.
    const task = getDocument({ data: pdf.slice() });
    const draw = async () => {
      const page = await (await task.promise).getPage(1);
      const { width } = page.getViewport({ scale: 1 });
      const viewport = page.getViewport({ scale: shownWidth / width });
      const target = canvas.current;
      if (!target) return;
      target.width = viewport.width;
      target.height = viewport.height;
      await page.render({ canvas: target, viewport }).promise;
    };
    // A newer preview cancels the drawing.
    void draw().catch(() => {});
    return () => void task.destroy();
  }, [pdf]);
  return <canvas ref={canvas} role="img" aria-label={label} />;
}
