/**
 * Postings that are published: bills of wallets, and what the insurance fund pays and gets. The room's door.
 *
 * Source  wire/client-endpoints.md §4 (`bills`); risk-engine.md §14
 */
export { bill } from './bills.ts'
export { insure, publishInsurance } from './insurance.ts'
