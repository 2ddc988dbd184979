import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';

export const metadata = { title: 'Not found' };

/** Also where something exists that the person may not know of: the two look alike on purpose. */
export default function NotFound() {
  return (
    <main className="alone">
      <h1>Not found</h1>
      <Empty
        title="There is nothing at this address."
        action={
          <ButtonLink href="/" prefetch={false}>
            To the overview
          </ButtonLink>
        }
      >
        A release is named name@revision, a dataset by its name. Links to both never change, so what
        this one pointed at was never there, or the address is cut short.
      </Empty>
    </main>
  );
}
