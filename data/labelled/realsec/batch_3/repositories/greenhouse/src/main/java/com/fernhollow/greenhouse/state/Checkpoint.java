package com.fernhollow.greenhouse.state;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;

/** Keeps a snapshot in Java's own format, so that another house can take it over. */
public class Checkpoint {
    public void save(Snapshot snapshot, OutputStream out) throws IOException {
        ObjectOutputStream objects = new ObjectOutputStream(out);
        objects.writeObject(snapshot);
        objects.flush();
    }

    public Snapshot load(InputStream in) throws IOException {
        try (ObjectInputStream objects = new ObjectInputStream(in)) {
            return (Snapshot) objects.readObject();
        } catch (ClassNotFoundException | ClassCastException other) {
            throw new IOException("this is no snapshot", other);
        }
    }
}
