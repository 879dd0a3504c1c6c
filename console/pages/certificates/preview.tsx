import { Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FailedAction, WaitingRows } from '../../parts/states.tsx';

GlobalWorkerOptions.workerSrc = workerAddress;

/** Sharp enough for a screen with two pixels per point. */
const shownWidth = 1_200;

/** The certificate as it would be drawn, with the longest name of the tenant. */
export default function Preview({ courseId, rule }: { courseId: string; rule: string }) {
  const t = useTranslations('certificates.template');
  const { headers } = useApi();
  const canvas = useRef<HTMLCanvasElement>(null);
  const { data, error } = useQuery({
    queryKey: ['certificate preview', courseId, rule],
    queryFn: async ({ signal }) => {
      const { CourseID: _, UpdatedAt: __, ...body } = JSON.parse(rule);
      const path = `/certificate/template/${encodeURIComponent(courseId)}/preview`;
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
    placeholderData: (before) => before,
  });
  useEffect(() => {
    if (!data) return;
    // The worker takes the bytes over, so that they could not be drawn again.
    const task = getDocument({ data: data.slice() });
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
  }, [data]);
  return (
    <Stack gap="xs">
      <FailedAction error={error} />
      {!data && !error && <WaitingRows rows={4} />}
      <Paper withBorder hidden={!data} className="certificate-preview">
        <canvas ref={canvas} role="img" aria-label={t('preview')} />
      </Paper>
      <Text size="xs" c="dimmed">
        {t('previewText')}
      </Text>
    </Stack>
  );
}
