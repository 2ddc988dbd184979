import { Empty } from '@/components/ui/empty';
import { Panel } from '@/components/ui/panel';
import { SqlText } from '@/components/ui/sql-diff';
import { Term } from '@/components/ui/term';
import { savedReports } from '@/lib/queries/reports';
import { webDatabase } from '@/lib/web/db';
import { When } from '../../_parts/when';
import { EndReport } from './end-report';
import { SaveReport } from './save-report';

/** The dataset's saved reports, which are read on both generations of a release. */
export async function ReportsPanel({
  dataset,
  zone,
  maySave,
  mayEnd,
}: {
  dataset: string;
  zone: string;
  maySave: boolean;
  mayEnd: boolean;
}) {
  const reports = await savedReports(webDatabase(), dataset);
  return (
    <Panel
      title={<Term name="saved report">Saved reports</Term>}
      id="reports"
      count={reports.length}
      aside={maySave && <SaveReport dataset={dataset} />}
    >
      {reports.length === 0 ? (
        <Empty title="No report is saved.">
          What people read of the dataset, such as tax by month: on a release each is read on the
          old and the new generation, and what would change of it is shown before the cutover.
        </Empty>
      ) : (
        <ul className="reports">
          {reports.map((report) => (
            <li key={report.id}>
              <div>
                <b>{report.name}</b>
                <span className="s">
                  saved by {report.madeBy}, <When zone={zone} at={report.madeAt} />; limit{' '}
                  {report.limitSeconds} s
                </span>
              </div>
              {(maySave || mayEnd) && (
                <div className="mark-acts">
                  {maySave && <SaveReport dataset={dataset} report={report} />}
                  {mayEnd && <EndReport report={report} />}
                </div>
              )}
              <details>
                <summary className="s">
                  SQL<span className="sr"> of {report.name}</span>
                </summary>
                <SqlText sql={report.sql} label={`SQL of ${report.name}`} />
              </details>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
