package indexer

import (
	bolt "go.etcd.io/bbolt"

	"memsync"
)

// The search index follows the catalog at its own pace. Every Advance notes the
// paths whose memory it changed; Fresh are those which the index of that stamp
// has not taken. An index of another stamp (another machine's, one from before
// the catalog was made anew, one that took a step which nobody noted here) has
// to be compared with the view instead.

// Fresh are the paths whose memory changed since the search index of that stamp
// took the others. The stamp is "" until Indexed names one.
func (c *Catalog) Fresh() (stamp string, paths []memsync.Path, err error) {
	err = c.read(func(tx *bolt.Tx) error {
		stamp = string(tx.Bucket(bucketMeta).Get(keyIndexed))
		return tx.Bucket(bucketFresh).ForEach(func(k, _ []byte) error {
			paths = append(paths, memsync.Path(k))
			return nil
		})
	})
	return stamp, paths, err
}

// Indexed notes that the search index has that stamp now, that it took the
// paths in taken, and that it lacks those in missing.
func (c *Catalog) Indexed(stamp string, taken, missing []memsync.Path) error {
	return c.write(func(tx *bolt.Tx) error {
		fresh := tx.Bucket(bucketFresh)
		for _, p := range taken {
			if err := fresh.Delete([]byte(p)); err != nil {
				return err
			}
		}
		for _, p := range missing {
			if err := fresh.Put([]byte(p), nil); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(keyIndexed, []byte(stamp))
	})
}
