/** CRC-32 of a text of ASCII, as a signed number: what a v2 book carries as its checksum. */

const table = Int32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

export function crc32(text: string): number {
  let value = -1
  for (let index = 0; index < text.length; index++) {
    value = (value >>> 8) ^ (table[(value ^ text.charCodeAt(index)) & 0xff] ?? 0)
  }
  return ~value
}
