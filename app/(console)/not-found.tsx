import { PageTop } from '@/components/shell/page-top';
import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';

/** Something that is not there, inside the frame. */
export default function ConsoleNotFound() {
  return (
    <>
      <PageTop crumbs={[{ label: 'Not found' }]} />
      <div className="alone">
        <h1>Not found</h1>
        <Empty
          title="There is nothing at this address."
          action={<ButtonLink href="/releases">To all releases</ButtonLink>}
        >
          A release is named name@revision, a dataset by its name. Links to both never change, so
          what this one pointed at was never there, or the address is cut short.
        </Empty>
      </div>
    </>
  );
}
