package org.springframework.stereotype;

/** Stands for the annotation of that name. */
public @interface Repository {
}
