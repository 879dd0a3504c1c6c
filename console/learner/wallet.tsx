import { useEffect, useRef, useState } from 'react';
import { encode } from 'uqr';
import { useTranslations } from 'use-intl';
import type { components } from '../../client/src/generated.ts';
import { segment } from './data.ts';
import type { Certificate } from './items.ts';

type Offer = components['schemas']['WalletOffer'];

async function makeOffer({ LoginID, EnrollID }: Certificate): Promise<Offer> {
  const path = `/enrolment/${segment(LoginID ?? '')}/${segment(EnrollID)}/certificate/offer`;
  const response = await fetch(path, { method: 'POST' });
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

/** Offers a certificate to a wallet: as a code for the camera of a phone, and as a link on this device. */
export default function WalletDialog({
  certificate,
  onClose,
}: {
  certificate: Certificate;
  onClose: () => void;
}) {
  const t = useTranslations('learner.walletOffer');
  const dialog = useRef<HTMLDialogElement>(null);
  const [offer, setOffer] = useState<Offer | 'failed' | 'expired' | null>(null);
  const ask = () => {
    setOffer(null);
    makeOffer(certificate).then(setOffer, () => setOffer('failed'));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an offer is made once, when the dialog opens.
  useEffect(() => {
    dialog.current?.showModal();
    ask();
  }, []);
  useEffect(() => {
    if (offer === null || typeof offer === 'string') return;
    const timer = setTimeout(() => setOffer('expired'), Date.parse(offer.ExpiresAt) - Date.now());
    return () => clearTimeout(timer);
  }, [offer]);
  return (
    <dialog ref={dialog} className="wallet" aria-labelledby="wallet-title" onClose={onClose}>
      <h2 id="wallet-title">{t('title')}</h2>
      <p dir="auto">{certificate.CourseTitle}</p>
      {offer === null && <p className="dimmed">{t('waiting')}</p>}
      {offer !== null && typeof offer === 'object' && (
        <>
          <Code text={offer.OfferURL} label={t('code')} />
          <p>{t('text')}</p>
          <p className="dimmed">{t('once')}</p>
        </>
      )}
      {(offer === 'failed' || offer === 'expired') && <p role="alert">{t(offer)}</p>}
      <div className="actions">
        {offer !== null && typeof offer === 'object' && (
          <a className="button" href={offer.OfferURL}>
            {t('open')}
          </a>
        )}
        {typeof offer === 'string' && (
          <button type="button" className="button" onClick={ask}>
            {t('again')}
          </button>
        )}
        <button type="button" className="button quiet" onClick={() => dialog.current?.close()}>
          {t('close')}
        </button>
      </div>
    </dialog>
  );
}

/** A QR code, dark on white in all colour schemes, because many cameras read no other. */
function Code({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'L', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      className="code"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
