/** Which address a request came from, behind proxies and in every spelling. */
import { expect, test } from 'vitest'
import { addressFinder } from '../../src/http/addresses.ts'

const proxies = ['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']

test.each([
  // socket                   X-Forwarded-For                                        the client
  ['203.0.113.9', undefined, '203.0.113.9'],
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'], // not from a proxy
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['::ffff:7f00:1', '203.0.113.9', '203.0.113.9'],
  ['::1', '::ffff:203.0.113.9', '203.0.113.9'],
  ['::1', '::ffff:cb00:7109', '203.0.113.9'],
  ['127.0.0.1', '203.0.113.9:5678', '203.0.113.9'],
  ['127.0.0.1', ' 203.0.113.9:5678 ', '203.0.113.9'],
  ['127.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
  ['127.0.0.1', '[2001:db8::7]', '2001:db8::7'],
  ['127.0.0.1', '2001:DB8:0:0::7', '2001:db8::7'],
  ['127.0.0.1', '[::ffff:203.0.113.9]:443', '203.0.113.9'],
  ['127.0.0.1', '203.0.113.9:1, 10.1.2.3:2, [fd00::1]:3', '203.0.113.9'],
  ['127.0.0.1', '192.0.2.1, 203.0.113.9:5678, 10.1.2.3', '203.0.113.9'], // what the client wrote itself is not believed
  ['127.0.0.1', '10.1.2.3:80', '10.1.2.3'], // all are proxies: the first that is known
  ['127.0.0.1', 'unknown', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.9, _hidden', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.9:', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.9:http', '127.0.0.1'],
  ['127.0.0.1', '203.0.113.9:123456', '127.0.0.1'],
  ['127.0.0.1', '[203.0.113.9', '127.0.0.1'],
  ['127.0.0.1', '2001:db8::7:443', '2001:db8::7:443'], // without brackets it is an address
  ['127.0.0.1', '', '127.0.0.1'],
])('from %s with %j it is %s', (socket, forwardedFor, client) => {
  expect(addressFinder(proxies)(socket, forwardedFor)).toBe(client)
})

test('without proxies the header counts for nothing', () => {
  const find = addressFinder([])
  expect(find('127.0.0.1', '203.0.113.9:5678')).toBe('127.0.0.1')
  expect(find('2001:DB8::0:7', undefined)).toBe('2001:db8::7')
})
