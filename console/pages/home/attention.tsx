import { useTranslations } from 'use-intl';
import { Section } from '../../parts/section.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { AttentionList } from './attention-list.tsx';
import { useAttentionItems } from './use-attention-items.ts';

export function Attention() {
  const t = useTranslations('home');
  const { items, error, isPending, refetch } = useAttentionItems();
  if (error) return <Failed error={error} onRetry={refetch} />;
  if (isPending) return <WaitingRows rows={2} />;
  return (
    <Section isShort title={t('needsAttention')}>
      <AttentionList items={items} emptyText={t('allWell')} />
    </Section>
  );
}
