import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { BigFigure } from '@/components/ui/figure';
import { countText, figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { publishedBrief } from '@/lib/queries/corrections-page';
import { webDatabase } from '@/lib/web/db';
import { address } from '../../_parts/search';
import { Between, When } from '../../_parts/when';
import { PublishButton } from '../../corrections/publish-button';

/** What of the dataset was sent out and is sealed; for who may, publishing more. */
export async function PublishedPanel({
  dataset,
  zone,
  unit,
  mayPublish,
}: {
  dataset: string;
  zone: string;
  unit: string;
  mayPublish: boolean;
}) {
  const { sealed, corrections, pending, pendingSince, last } = await publishedBrief(
    webDatabase(),
    dataset,
  );
  const aside = (
    <>
      {sealed > 0 && (
        <ButtonLink size="sm" href={address('/corrections', { dataset })}>
          Corrections
        </ButtonLink>
      )}
      {mayPublish && <PublishButton dataset={dataset} zone={zone} unit={unit} size="sm" />}
    </>
  );
  return (
    <Panel
      title="Published"
      id="published"
      count={figureText(sealed)}
      countHref={address('/corrections', { dataset })}
      aside={aside}
    >
      {last === null ? (
        <Empty title="Nothing of it was published yet.">
          Publishing records to whom figures were sent, and seals their partitions: nothing changes
          what is served of them again.
        </Empty>
      ) : (
        <>
          <div className="figs">
            <BigFigure
              label="Sealed"
              value={countText(sealed, unit)}
              note={`${countText(corrections, 'correction')} beside them`}
              hue="seal"
              icon="lock"
            />
            <BigFigure
              label="Pending events"
              value={figureText(pending)}
              note={
                pendingSince === null ? (
                  'every late event is in a correction'
                ) : (
                  <>
                    in no correction yet, since <When zone={zone} at={pendingSince} />
                  </>
                )
              }
              {...(pending > 0 ? { hue: 'wait' as const, icon: 'wait' as const } : {})}
            />
          </div>
          <p className="sub m">
            Last <Between zone={zone} from={last.from} to={last.to} /> to <b>{last.sentTo}</b>
            {last.document !== null && `, ${last.document}`}, by {last.by},{' '}
            <When zone={zone} at={last.at} />
          </p>
        </>
      )}
    </Panel>
  );
}
