import { notFound } from 'next/navigation';

/** Addresses that no page has: said inside the frame, with the way on. */
export default function Missing(): never {
  notFound();
}
